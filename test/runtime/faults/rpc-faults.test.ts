import {
  Connection,
  Keypair,
  PublicKey,
  type SendOptions,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FaultInput } from '../../../src/runtime/faults-api.js';
import { postJson } from '../../support/post-json.js';
import { closed, subscribed } from '../../support/waiting.js';
import { ENGINES, world } from '../../support/world.js';

const TO = new PublicKey('9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g');

/** Delays transactions, or their confirmations. */
const delayed = (delay: string, more: Partial<FaultInput> = {}): FaultInput => ({
  rpc: 'sendTransaction',
  effect: 'delay-transaction',
  delay,
  ...more,
});
const CONFIRMATION = { phase: 'chain-confirm' } as const;

/** A web3.js client of a frozen world with faults, over HTTP, and a transfer of 1 SOL that it can send; the clock runs by `wall.ms` in real time. */
async function troubled(engine: (typeof ENGINES)[number], ...faults: FaultInput[]) {
  const wall = { ms: 0 };
  const sim = await world({ engine }, { wall: () => wall.ms });
  const { url } = await sim.listenRpc();
  const connection = new Connection(url, { commitment: 'confirmed', disableRetryOnRateLimit: true });
  onTestFinished(() => closed(connection));
  const payer = Keypair.fromSecretKey(bs58.decode(sim.wallets[0]?.secretKey as string));
  const transfer = SystemProgram.transfer({
    fromPubkey: payer.publicKey,
    toPubkey: TO,
    lamports: 1_000_000_000,
  });
  const transaction = new Transaction().add(transfer);
  transaction.feePayer = payer.publicKey;
  transaction.recentBlockhash = (await connection.getLatestBlockhash()).blockhash;
  transaction.sign(payer);
  for (const fault of faults) sim.faults.add(fault);
  const send = (options: SendOptions = {}) => connection.sendRawTransaction(transaction.serialize(), options);
  const received = async () => {
    expect(await sim.invariants()).toEqual([]);
    return Number((await sim.chain.balances(TO.toBase58())).lamports) / 1e9;
  };
  const status = async (signature: string) => {
    const { value } = await connection.getSignatureStatuses([signature]);
    return value[0]?.confirmationStatus ?? null;
  };
  return { sim, wall, connection, url, payer, send, received, status };
}

describe.each(ENGINES)('RPC fault on %s', (engine) => {
  it('drops a transaction that has a signature and never runs', async () => {
    const { send, received, status } = await troubled(engine, {
      rpc: 'sendTransaction',
      effect: 'drop-transaction',
      when: { times: 1 },
    });
    const signature = await send();
    expect(await status(signature)).toBeNull();
    expect(await received()).toBe(0);
    // The same transaction can be sent again, since it never ran.
    expect(await send()).toBe(signature);
    expect(await received()).toBe(1);
  });

  it.each([
    ['runs a delayed transaction', '5s', 'transaction.arrived', 1],
    ['drops a transaction that is delayed beyond the life of its blockhash', '61s', 'transaction.expired', 0],
  ])('%s at its own instant, however late the next call is', async (_does, delay, kind, sol) => {
    const { sim, wall, send, received } = await troubled(engine, delayed(delay));
    sim.setTime('real');
    await send();
    wall.ms += 120_000;
    expect(await sim.advance('1s')).toMatchObject([{ kind }]);
    expect(await received()).toBe(sol);
  });

  it.each([false, true])(
    'delays the first copy of a transaction that is sent again and again, skipPreflight: %s',
    async (skipPreflight) => {
      const { sim, send, received } = await troubled(engine, delayed('5s'));
      const fired: string[] = [];
      for (let seconds = 0; seconds < 4; seconds += 2) {
        await send({ skipPreflight });
        expect(await received()).toBe(0);
        fired.push(...(await sim.advance('2s')).map(({ kind }) => kind));
      }
      fired.push(...(await sim.advance('1s')).map(({ kind }) => kind));
      expect(await received()).toBe(1);
      if (skipPreflight) await send({ skipPreflight });
      else await expect(send()).rejects.toThrow(/already been processed/);
      fired.push(...(await sim.advance('1m')).map(({ kind }) => kind));
      expect(fired).toEqual(['transaction.arrived']);
    },
  );

  it.each([false, true])(
    'delays a confirmation although the transaction is sent again, skipPreflight: %s',
    async (skipPreflight) => {
      const { sim, send, status } = await troubled(engine, delayed('1h', CONFIRMATION));
      const signature = await send();
      if (skipPreflight) await send({ skipPreflight });
      else await expect(send()).rejects.toThrow(/already been processed/);
      expect(await status(signature)).toBe('processed');
      expect(await sim.advance('1h')).toMatchObject([{ kind: 'transaction.confirmed' }]);
      expect(await status(signature)).toBe('finalized');
    },
  );

  it('lets a delayed transaction arrive although a copy whose confirmation would be late is refused meanwhile', async () => {
    const { sim, payer, send, received } = await troubled(
      engine,
      delayed('5s', { when: { nth: 1 } }),
      delayed('5s', { ...CONFIRMATION, when: { nth: 2 } }),
    );
    await send();
    await sim.setBalance(payer.publicKey.toBase58(), 0.5, 'SOL');
    await expect(send()).rejects.toThrow(/custom program error/);
    await sim.setBalance(payer.publicKey.toBase58(), 50, 'SOL');
    expect(await sim.advance('20s')).toMatchObject([{ kind: 'transaction.arrived' }]);
    expect(await received()).toBe(1);
  });

  it('runs a delayed transaction that fails by then, and charges its fee', async () => {
    const { sim, connection, payer, send, received } = await troubled(engine, delayed('20s'));
    const signature = await send();
    await sim.setBalance(payer.publicKey.toBase58(), 0.5, 'SOL');
    await sim.advance('20s');
    expect(await received()).toBe(0);
    const { value } = await connection.getSignatureStatuses([signature]);
    expect(value[0]?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(await connection.getBalance(payer.publicKey)).toBe(499_995_000);
  });

  it('delays a confirmation: the transaction is processed, and a subscriber is notified later', async () => {
    const { sim, connection, send, received, status } = await troubled(engine, delayed('20s', CONFIRMATION));
    const signature = await send();
    expect(await received()).toBe(1);
    expect(await status(signature)).toBe('processed');
    expect(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull();
    const notified = new Promise<void>((resolve) => {
      connection.onSignature(signature, () => resolve(), 'confirmed');
    });
    await subscribed(connection);
    await sim.advance('20s');
    await notified;
    expect(await status(signature)).toBe('finalized');
  });

  it('reports an expired blockhash or an unhealthy node as a cluster does, and nothing runs', async () => {
    const { send, received } = await troubled(
      engine,
      { rpc: 'sendTransaction', effect: 'expire-blockhash', when: { nth: 1 } },
      { rpc: 'sendTransaction', effect: 'chain-unavailable', when: { nth: 2 } },
    );
    await expect(send()).rejects.toThrow(/Blockhash not found/);
    await expect(send()).rejects.toThrow(/Node is unhealthy/);
    expect(await received()).toBe(0);
    await send();
    expect(await received()).toBe(1);
  });

  it('loses the response to a transaction that has run and cannot run again', async () => {
    const { send, received } = await troubled(engine, {
      rpc: 'sendTransaction',
      effect: 'lose-response',
      when: { nth: 1 },
    });
    await expect(send()).rejects.toThrow('fetch failed');
    expect(await received()).toBe(1);
    await expect(send()).rejects.toThrow(/already been processed/);
    expect(await received()).toBe(1);
  });

  it('is limited to the transactions of a wallet', async () => {
    const { sim, payer, send, received } = await troubled(engine);
    const stranger = sim.wallets[5]?.address as string;
    sim.faults.add({ rpc: 'sendTransaction', effect: 'drop-connection', when: { wallet: stranger } });
    await send();
    expect(await received()).toBe(1);
    sim.faults.add({ rpc: '*', effect: 'drop-connection', when: { wallet: payer.publicKey.toBase58() } });
    await expect(send()).rejects.toThrow('fetch failed');
  });

  it('responds over HTTP with status, Retry-After, a JSON-RPC error and a request id', async () => {
    const { sim, url } = await troubled(engine, {
      rpc: 'getBalance',
      effect: 'replace-response',
      status: 429,
      retryAfter: 3,
      when: { nth: 1 },
    });
    const params = [sim.wallets[0]?.address];
    const call = { jsonrpc: '2.0', id: 1, method: 'getBalance', params };
    const limited = await postJson(url, call);
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toBe('3');
    expect(await limited.json()).toMatchObject({ id: 1, error: { code: 429 } });
    const id = limited.headers.get('x-request-id') as string;
    expect(sim.explain(id)?.text).toContain('fault-1 fired (before): replace-response');
    expect((await postJson(url, call)).status).toBe(200);
    sim.faults.add({ rpc: 'getSlot', effect: 'replace-response', code: '-32005', message: 'behind' });
    const batch = await (
      await postJson(url, [call, { ...call, id: 2, method: 'getSlot', params: [] }])
    ).json();
    expect(batch).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32_005, message: 'behind' } },
    ]);
  });
});
