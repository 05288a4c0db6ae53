import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { transferLamports } from '../../../src/chain/solana/instructions.js';
import { SYSTEM_PROGRAM } from '../../../src/chain/solana/addresses.js';
import { buildTransaction, parseTransaction } from '../../../src/chain/solana/wire.js';
import { AgentWallet } from '../../../src/sdk/client/wallet.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, world } from '../../support/world.js';
import { Listener, listening, rpcMessage } from './support.js';

const SOL = 1_000_000_000;
const BASE64 = { encoding: 'base64' };

const newAddress = () => AgentWallet.generate().address;

/** A transfer of a wallet to itself. */
function toSelf(sim: Simulator, wallet: AgentWallet) {
  const { blockhash } = sim.chain.latestBlockhash();
  return parseTransaction(
    buildTransaction([transferLamports(wallet.address, wallet.address, 1n)], [wallet], blockhash),
  );
}

const subscription = (address: string) => ({ jsonrpc: '2.0', method: 'accountSubscribe', params: [address] });

describe.each(ENGINES)('subscriptions on %s', (engine) => {
  it('notify of accounts, programs, logs, signatures, slots and roots', async () => {
    const { sim, listener } = await listening({ engine });
    const { address } = AgentWallet.generate();
    const account = await listener.subscribe('accountSubscribe', address, BASE64);
    const all = await listener.subscribe('logsSubscribe', 'all');
    const mine = await listener.subscribe('logsSubscribe', { mentions: [address] });
    const slot = await listener.subscribe('slotSubscribe');
    const root = await listener.subscribe('rootSubscribe');
    const program = await listener.subscribe('programSubscribe', SYSTEM_PROGRAM, {
      encoding: 'base64',
      filters: [{ dataSize: 0 }],
    });
    const { signature } = await sim.faucet(address, 1, 'SOL');
    expect(await listener.heard(account, 1)).toEqual([
      {
        context: { slot: 1 },
        value: {
          lamports: SOL,
          data: ['', 'base64'],
          owner: SYSTEM_PROGRAM,
          executable: false,
          rentEpoch: 18446744073709552000,
          space: 0,
        },
      },
    ]);
    expect(await listener.heard(all, 1)).toMatchObject([{ value: { signature, err: null } }]);
    expect(await listener.heard(mine, 1)).toMatchObject([{ value: { signature } }]);
    expect(await listener.heard(slot, 1)).toEqual([{ slot: 1, parent: 0, root: 1 }]);
    expect(await listener.heard(root, 1)).toEqual([1]);
    expect(await listener.heard(program, 2)).toMatchObject([
      { value: { pubkey: expect.any(String) } },
      { value: { pubkey: address, account: { lamports: SOL } } },
    ]);
    await sim.faucet(newAddress(), 1, 'SOL');
    expect(await listener.heard(all, 2)).toHaveLength(2);
    expect(await listener.heard(mine, 1)).toHaveLength(1);
    for (const [kind, id] of Object.entries({ account, logs: mine, slot, root, program })) {
      expect(await listener.call(`${kind}Unsubscribe`, id)).toMatchObject({ result: true });
      expect(await listener.call(`${kind}Unsubscribe`, id)).toMatchObject({ error: { code: -32_602 } });
    }
  });

  it('notify of the accounts that a revert has changed or removed, of no others, and go on', async () => {
    const { sim, listener } = await listening({ engine });
    const [changed, left, gone] = [newAddress(), newAddress(), newAddress()];
    await sim.faucet(changed, 1, 'SOL');
    await sim.faucet(left, 1, 'SOL');
    const snapshot = await sim.snapshot();
    await sim.faucet(changed, 2, 'SOL');
    await sim.faucet(gone, 1, 'SOL');
    const ids: number[] = [];
    for (const address of [changed, left, gone])
      ids.push(await listener.subscribe('accountSubscribe', address, BASE64));
    const heard = (at: number, count: number) => listener.heard(ids[at] as number, count);
    await sim.revert(snapshot);
    expect(await heard(0, 1)).toMatchObject([{ context: { slot: 2 }, value: { lamports: SOL } }]);
    expect(await heard(1, 0)).toEqual([]);
    expect(await heard(2, 1)).toMatchObject([{ context: { slot: 2 }, value: { lamports: 0 } }]);
    await sim.faucet(changed, 3, 'SOL');
    expect((await heard(0, 2)).at(-1)).toMatchObject({ value: { lamports: 4 * SOL } });
  });

  it('notify of a signature that was received, where the subscription wants it, and then of its result', async () => {
    const { sim, listener } = await listening({ engine, confirmationSlots: 1 });
    const wallet = AgentWallet.generate();
    await sim.faucet(wallet.address, 1, 'SOL');
    const { bytes, signature } = toSelf(sim, wallet);
    const options = { commitment: 'confirmed', enableReceivedNotification: true };
    const both = await listener.subscribe('signatureSubscribe', signature, options);
    const result = await listener.subscribe('signatureSubscribe', signature, { commitment: 'confirmed' });
    await sim.chain.sendTransaction(bytes);
    const slot = sim.chain.slot();
    const received = { context: { slot }, value: 'receivedSignature' };
    expect(await listener.heard(both, 1)).toEqual([received]);
    await sim.advance('400ms');
    const confirmed = { context: { slot }, value: { err: null } };
    expect(await listener.heard(both, 2)).toEqual([received, confirmed]);
    expect(await listener.heard(result, 1)).toEqual([confirmed]);
  });

  it('can be ended by the client after a signature notification has ended them', async () => {
    const { sim, listener } = await listening({ engine });
    const { signature } = await sim.faucet(newAddress(), 1, 'SOL');
    const past = await listener.subscribe('signatureSubscribe', signature);
    await listener.heard(past, 1);
    const unknown = { error: { code: -32_602, message: 'Invalid subscription id.' } };
    expect(await listener.call('accountUnsubscribe', past)).toMatchObject(unknown);
    expect(await listener.call('signatureUnsubscribe', past)).toMatchObject({ result: true });
    expect(await listener.call('signatureUnsubscribe', past)).toMatchObject(unknown);
    expect(await listener.call('signatureUnsubscribe', past + 1)).toMatchObject(unknown);
  });

  it('notify of every step of a slot', async () => {
    const { sim, listener } = await listening({ engine, confirmationSlots: [1, 2] });
    const id = await listener.subscribe('slotsUpdatesSubscribe');
    for (let at = 0; at < 3; at += 1) await sim.faucet(newAddress(), 1, 'SOL');
    const told = (await listener.heard(id, 12)) as Record<string, unknown>[];
    const timestamp = sim.now().getTime();
    const stats = { numTransactionEntries: 1, numSuccessfulTransactions: 1 };
    const none = { numFailedTransactions: 0, maxTransactionsPerEntry: 1 };
    expect(told.filter(({ slot }) => slot === 1)).toEqual([
      { type: 'createdBank', slot: 1, parent: 0, timestamp },
      { type: 'completed', slot: 1, timestamp },
      { type: 'frozen', slot: 1, timestamp, stats: { ...stats, ...none } },
      { type: 'optimisticConfirmation', slot: 1, timestamp },
      { type: 'root', slot: 1, timestamp },
    ]);
    expect(told.filter(({ type }) => type === 'root')).toHaveLength(1);
    expect(listener.told.at(-1)?.method).toBe('slotsUpdatesNotification');
    expect(await listener.call('slotsUpdatesUnsubscribe', id)).toMatchObject({ result: true });
  });

  it('notify of all blocks, or of those that mention an address', async () => {
    const { sim, listener } = await listening({ engine });
    const { address } = AgentWallet.generate();
    const details = { encoding: 'json', transactionDetails: 'signatures' };
    const all = await listener.subscribe('blockSubscribe', 'all', { ...details, showRewards: true });
    const mentioned = { mentionsAccountOrProgram: address };
    const mine = await listener.subscribe('blockSubscribe', mentioned);
    const { signature } = await sim.faucet(address, 1, 'SOL');
    await sim.faucet(newAddress(), 1, 'SOL');
    const blocks = (await listener.heard(all, 2)) as { value: { slot: number; block: object } }[];
    expect(blocks.map(({ value }) => value.slot)).toEqual([1, 2]);
    expect(blocks[0]).toEqual({
      context: { slot: 1 },
      value: {
        slot: 1,
        err: null,
        block: {
          blockhash: sim.chain.blockhashAt(1),
          previousBlockhash: sim.chain.blockhashAt(0),
          parentSlot: 0,
          blockHeight: 1,
          blockTime: Math.floor(sim.now().getTime() / 1_000),
          signatures: [signature],
          rewards: [],
        },
      },
    });
    const [told, ...others] = (await listener.heard(mine, 1)) as {
      value: { block: { transactions: { transaction: [string, string] }[] } };
    }[];
    expect(others).toEqual([]);
    expect(told?.value.block).not.toHaveProperty('rewards');
    expect(told?.value.block.transactions.map(({ transaction }) => transaction[1])).toEqual(['base64']);
    expect(await listener.call('blockUnsubscribe', all)).toMatchObject({ result: true });
    expect(await listener.call('blockUnsubscribe', all)).toMatchObject({ error: { code: -32_602 } });
  });

  it('notify of the bank’s own transfers with the balances of the engine', async () => {
    const { sim, listener } = await listening({ engine });
    const agent = sim.agent(0);
    await agent.fund(10, 'SOL');
    const { address } = AgentWallet.generate();
    const id = await listener.subscribe('accountSubscribe', address, BASE64);
    await agent.withdraw({ amount: 2, token: 'SOL', destination: address });
    await agent.withdraw({ amount: 3, token: 'SOL', destination: address });
    const told = (await listener.heard(id, 2)) as { value: { lamports: number } }[];
    expect(told.map(({ value }) => value.lamports)).toEqual([2 * SOL, 5 * SOL]);
  });

  it('notify when the slot has their commitment', async () => {
    const { sim, listener } = await listening({ engine, confirmationSlots: [1, 3] });
    const { address } = AgentWallet.generate();
    const ids: Record<string, number> = {};
    for (const commitment of ['processed', 'confirmed', 'finalized']) {
      ids[commitment] = await listener.subscribe('accountSubscribe', address, { commitment, ...BASE64 });
    }
    const root = await listener.subscribe('rootSubscribe');
    const { signature } = await sim.faucet(address, 1, 'SOL');
    const late = await listener.subscribe('signatureSubscribe', signature, { commitment: 'finalized' });
    expect(await listener.heard(ids['processed'] as number, 1)).toHaveLength(1);
    expect(await listener.heard(ids['confirmed'] as number, 0)).toEqual([]);
    await sim.faucet(newAddress(), 1, 'SOL');
    expect(await listener.heard(ids['confirmed'] as number, 1)).toHaveLength(1);
    expect(await listener.heard(ids['finalized'] as number, 0)).toEqual([]);
    expect(await listener.heard(late, 0)).toEqual([]);
    await sim.advance(2 * 400);
    expect(await listener.heard(ids['finalized'] as number, 1)).toMatchObject([{ context: { slot: 1 } }]);
    expect(await listener.heard(late, 1)).toEqual([{ context: { slot: 1 }, value: { err: null } }]);
    expect(await listener.heard(root, 1)).toEqual([1]);
  });
});

describe.each(ENGINES)('the status of a transaction on %s', (engine) => {
  // @solana/web3.js polls it once it has subscribed, and rejects with the bare error of a transaction when it comes first.
  it.each(['before', 'after'])(
    'is sent after the notification of a subscription made %s the transaction',
    async (when) => {
      const { sim, listener } = await listening({ engine });
      const { wallet } = sim.agent(0);
      const confirmed = { commitment: 'confirmed' };
      // So many notifications of the same transaction that the server gives others a turn between them.
      for (let count = 0; count < 500; count += 1)
        await listener.subscribe('accountSubscribe', wallet.address, confirmed);
      const { bytes, signature } = toSelf(sim, wallet);
      if (when === 'after') await sim.chain.sendTransaction(bytes);
      await listener.subscribe('signatureSubscribe', signature, confirmed);
      if (when === 'before') await sim.chain.sendTransaction(bytes);
      const body = rpcMessage('getSignatureStatuses', [signature]);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(listener.socket.url.replace('ws', 'http'), {
        method: 'POST',
        headers,
        body,
      });
      expect(await response.json()).toMatchObject({ result: { value: [{ err: null }] } });
      expect(listener.told.map(({ method }) => method)).toContain('signatureNotification');
    },
  );
});

describe('subscriptions', () => {
  it('notify of slots while the clock runs', { tags: ['slow'] }, async () => {
    const { sim, listener } = await listening({ time: 'real', confirmationSlots: 1 });
    const slot = await listener.subscribe('slotSubscribe');
    const told = (await listener.heard(slot, 2)) as { slot: number; root: number }[];
    expect(told[1]?.slot).toBe((told[0]?.slot ?? 0) + 1);
    expect(told[1]?.root).toBe((told[1]?.slot ?? 0) - 1);
    const { address } = AgentWallet.generate();
    const { signature } = await sim.faucet(address, 1, 'SOL');
    await listener.call('slotUnsubscribe', slot);
    const confirmed = await listener.subscribe('signatureSubscribe', signature, { commitment: 'confirmed' });
    expect(await listener.heard(confirmed, 1)).toMatchObject([{ value: { err: null } }]);
  });

  it('notify of a block once no further transaction can run in it', async () => {
    const { sim, listener } = await listening({ time: 'real' });
    const all = await listener.subscribe('blockSubscribe', 'all', { transactionDetails: 'signatures' });
    const { signature } = await sim.faucet(newAddress(), 1, 'SOL');
    const { slot } = sim.chain.getTransaction(signature) as { slot: number };
    await vi.waitFor(
      async () => {
        const told = (await listener.heard(all, 1)) as {
          value: { slot: number; block: { signatures: string[] } };
        }[];
        const own = told.filter(({ value }) => value.slot === slot);
        expect(own.map(({ value }) => value.block.signatures)).toEqual([[signature]]);
      },
      { timeout: 5_000 },
    );
  });

  it('notify of the only block of a jump, and of the last ones of many', async () => {
    const { sim, listener } = await listening({});
    const slot = await listener.subscribe('slotSubscribe');
    await sim.advance('30d');
    expect(await listener.heard(slot, 1)).toEqual([{ slot: 6_480_000, parent: 0, root: 6_480_000 }]);
    await sim.advance({ blocks: 1_000 });
    const told = (await listener.heard(slot, 33)) as { slot: number }[];
    expect(told).toHaveLength(33);
    expect(told.at(-1)?.slot).toBe(6_481_000);
  });

  it('can be ended by their own connection only', async () => {
    const { sim, listener } = await listening({});
    const rpc = await sim.listenRpc();
    const other = await Listener.open(rpc.url.replace('http', 'ws'));
    const { address } = AgentWallet.generate();
    const id = await listener.subscribe('accountSubscribe', address);
    expect(await other.call('accountUnsubscribe', id)).toMatchObject({ error: { code: -32_602 } });
    other.socket.terminate();
    await sim.faucet(address, 1, 'SOL');
    expect(await listener.heard(id, 1)).toHaveLength(1);
  });

  it('are rejected with the reason', async () => {
    const { listener } = await listening({});
    for (const [method, ...params] of [
      ['accountSubscribe', 'nonsense'],
      ['accountSubscribe'],
      ['logsSubscribe', { mentions: [] }],
      ['logsSubscribe', 'none'],
      ['signatureSubscribe', '5'],
      ['programSubscribe', SYSTEM_PROGRAM, { filters: [{}] }],
      ['slotUnsubscribe', -1],
      ['blockSubscribe', { mentionsAccountOrProgram: 'x' }],
      ['blockSubscribe', 'none'],
      ['blockSubscribe', 'all', { commitment: 'processed' }],
    ] as [string, ...unknown[]][]) {
      expect(await listener.call(method, ...params), method).toMatchObject({ error: { code: -32_602 } });
    }
    expect(await listener.call('voteSubscribe')).toMatchObject({ error: { code: -32_601 } });
  });

  it('are limited by connection and over all, ended ones not counted, and freed when a connection ends', async () => {
    const sim = await world({ limits: { rpcSubscriptions: 3, rpcConnectionSubscriptions: 2 } });
    const { url } = await sim.listenRpc();
    const [first, second] = [await Listener.open(url), await Listener.open(url)];
    const { address } = AgentWallet.generate();
    const { signature } = await sim.faucet(address, 1, 'SOL');
    await first.heard(await first.subscribe('signatureSubscribe', signature), 1);
    const tries = [first, first, first, second, second];
    const answers = [];
    for (const listener of tries) answers.push(await listener.call('accountSubscribe', address));
    expect(answers.map(({ error }) => error?.code ?? null)).toEqual([null, null, -32_603, null, -32_603]);
    expect(answers[2]).toMatchObject({
      error: { message: expect.stringContaining('a connection may have 2') },
    });
    expect(answers[4]).toMatchObject({ error: { message: expect.stringContaining('together may have 3') } });
    first.socket.close();
    await once(first.socket, 'close');
    await vi.waitFor(async () => second.subscribe('accountSubscribe', address));
  });

  it('drop a client that does not read, while others continue', { tags: ['slow'] }, async () => {
    const { sim, listener } = await listening({ engine: 'litesvm' });
    const rpc = await sim.listenRpc();
    const slow = await Listener.open(rpc.webSocketUrl);
    const { address } = AgentWallet.generate();
    const closed = new Promise((resolve) => slow.socket.once('close', resolve));
    // Ten thousand subscriptions to one account: each change is some megabytes of notifications.
    const batch = Array.from({ length: 1_000 }, (_, id) => ({ ...subscription(address), id }));
    for (let at = 0; at < 10; at += 1) slow.socket.send(JSON.stringify(batch));
    await slow.call('ping');
    slow.socket.pause();
    const watched = await listener.subscribe('accountSubscribe', address);
    let told = 0;
    for (let sent = 0; sent < 40; sent += 1) {
      await sim.faucet(address, 1, 'SOL');
      told += 1;
      await listener.heard(watched, told);
    }
    slow.socket.resume();
    await closed;
    expect(await listener.heard(watched, 40)).toHaveLength(40);
  });
});

describe('notifications of a durable world', () => {
  async function held() {
    const { sim, listener } = await listening({});
    const { address } = AgentWallet.generate();
    const account = await listener.subscribe('accountSubscribe', address, BASE64);
    const before = await sim.snapshot();
    let end: (error?: Error) => void = () => undefined;
    const writing = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    const write = vi.spyOn(sim, 'whenDurable').mockReturnValue(writing);
    const paid = sim.faucet(address, 1, 'SOL');
    await vi.waitFor(() => expect(write.mock.calls.length).toBeGreaterThan(1));
    // Messages sent earlier arrive before the pong.
    listener.socket.ping();
    await once(listener.socket, 'pong');
    expect(listener.told).toEqual([]);
    return { sim, listener, account, address, before, paid, write, end };
  }

  it('wait until their transaction is durable', async () => {
    const { listener, account, end, paid } = await held();
    end();
    expect(await listener.heard(account, 1)).toHaveLength(1);
    const past = await listener.subscribe('signatureSubscribe', (await paid).signature);
    expect(await listener.heard(past, 1)).toMatchObject([{ value: { err: null } }]);
  });

  it('are not sent for a transaction that is rolled back', async () => {
    const { sim, listener, account, end, address, before, paid, write } = await held();
    const back = sim.revert(before);
    await vi.waitFor(() => expect(sim.chain.slot()).toBe(0));
    end(new Error('no space'));
    await Promise.allSettled([paid, back]);
    write.mockReturnValue(null);
    await sim.faucet(address, 2, 'SOL');
    expect(await listener.heard(account, 1)).toMatchObject([{ value: { lamports: 2 * SOL } }]);
    expect(listener.told).toHaveLength(1);
  });
});
