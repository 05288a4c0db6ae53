import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import { chainAt } from '../../src/sdk/client/chain-at.js';
import { AgentClient } from '../../src/sdk/client/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { ClusterLimit } from '../../src/runtime/refusals.js';
import type { StartArguments } from '../../src/cli/flags.js';
import { startOptions } from '../../src/cli/start-options.js';
import { UsageError } from '../../src/cli/usage.js';
import { failing } from '../cli/here.js';
import { serving } from '../cli/process.js';
import { type Cluster, agentOf, at, bankOn, sound, startCluster, stop } from '../support/cluster.js';
import { temporaryFile } from '../support/temporary-folder.js';

describe('bank on a cluster', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => stop(cluster));

  it('takes its opening balances from the treasury on the cluster', async () => {
    const sim = await bankOn(cluster, 0);
    const { treasury } = sim.bank.books.state.totals;
    expect(treasury).toEqual({ USDC: 100_000_000_000n, SOL: 1_000_000_000_000n });
    expect(sim.facts.treasury).toBe(at(cluster, 0).address);
    expect(sim.wallets).toEqual([]);
    expect(sim.chain.slot()).toBeGreaterThanOrEqual(0);
    await sound(sim);
  });

  it('makes wallets whose keys nobody can derive from the seed: none of the cluster has the same', async () => {
    const node = new ControlClient({ origin: cluster.baseUrl });
    const made = () => node.do('createWallet', { body: { SOL: 1 } });
    const [treasury, other] = [await made(), await made()];
    const sim = await bankOn({ ...cluster, wallets: [treasury, other] }, 0);
    const keys = (bank: Simulator) => {
      const own = [bank.createWallet(), bank.createWallet()];
      return own.map(({ secretKey }) => secretKey);
    };
    const first = keys(sim);
    expect(first).not.toContain(treasury.secretKey);
    expect(first).not.toContain(other.secretKey);
    expect(keys(await bankOn({ ...cluster, wallets: [treasury] }, 0))).toEqual(first);
    expect(keys(await bankOn({ ...cluster, wallets: [other] }, 0))).not.toEqual(first);
  });

  it('records deposits and withdraws to a wallet without a token account', async () => {
    const sim = await bankOn(cluster, 1);
    const agent = await agentOf(sim, cluster, 5);
    const deposited = await agent.fund(250, 'USDC');
    expect(deposited.deposit.verified).toBe(true);
    expect(deposited.balance.current).toBe(250);
    await sound(sim);
    await agent.fund(2, 'SOL');
    await sound(sim);

    const stranger = AgentWallet.generate().address;
    const { withdrawal } = await agent.withdraw({ amount: 40, token: 'USDC', destination: stranger });
    expect(withdrawal.status).toBe('completed');
    expect((await sim.chain.balances(stranger)).usdcBase).toBe(40_000_000n);
    await sound(sim);
    await agent.withdraw({ amount: 0.5, token: 'SOL' });
    const { checking } = await agent.account();
    expect(checking).toMatchObject({ usdc: 210, sol: 1.5 });
    await sound(sim);
  });

  it('sends and receives x402 payments, between customers and from an external wallet', async () => {
    const sim = await bankOn(cluster, 2);
    const [alice, bob] = [await agentOf(sim, cluster, 5), await agentOf(sim, cluster, 6)];
    await alice.fund(100, 'USDC');
    const { payment_request: request } = await bob.requestPayment({ amount: 25 });
    const paid = await alice.pay({ recipient: request.recipient, amount: 25, token: 'USDC' });
    await sound(sim);
    const received = await bob.receive({ tx_signature: paid.tx_signature, expected_amount: 25 });
    expect(received).toMatchObject({ verified: true, amount: 25, token: 'USDC' });
    await sound(sim);
    await expect(bob.receive({ tx_signature: paid.tx_signature })).rejects.toMatchObject({
      code: 'transaction_already_recorded',
    });

    const outsider = AgentWallet.fromSecretKey(at(cluster, 7).secretKey);
    const signature = await outsider.send(sim.chain.connection(), {
      token: 'USDC',
      to: request.pay_to,
      amount: 3,
      usdcMint: cluster.usdcMint,
    });
    expect((await bob.receive({ tx_signature: signature })).amount).toBe(3);
    expect((await bob.account()).checking.usdc).toBe(28);
    await sound(sim);
  });

  it('keeps savings and settles them with the lending protocol', async () => {
    const sim = await bankOn(cluster, 3);
    const agent = await agentOf(sim, cluster, 5);
    await agent.fund(500, 'USDC');
    await agent.depositSavings({ amount: 300, token: 'USDC' });
    await sim.bank.settlement.settleSavings();
    const protocol = sim.bank.addresses.protocol.address;
    expect((await sim.chain.balances(protocol)).usdcBase).toBe(300_000_000n);
    await sound(sim);
    await agent.borrow({ amount: 100 });
    await agent.repay({ amount: 200 });
    const out = await agent.withdrawSavings({ amount: 300, token: 'USDC' });
    expect(out.savings.current).toBe(0);
    await sound(sim);
    // The protocol has no yield to pay here: what it cannot return stays a claim, and the books stay consistent.
    await sim.bank.settlement.settleSavings();
    await sound(sim);
  });

  it('scores a wallet by its transactions on the cluster', async () => {
    const sim = await bankOn(cluster, 3);
    const agent = await agentOf(sim, cluster, 5);
    await agent.fund(1, 'USDC');
    expect(sim.bank.books.state.agents.size).toBe(1);
    const { onChainData } = (await agent.profile()) as unknown as {
      onChainData: { totalTransactions: number };
    };
    expect(onChainData.totalTransactions).toBeGreaterThan(0);
  });

  it('books unsolicited transfers once', async () => {
    const sim = await bankOn(cluster, 4);
    const agent = await agentOf(sim, cluster, 5);
    const gift = await agent.sendToTreasury(7, 'USDC');
    await agent.sendToTreasury(0.25, 'SOL');
    await sound(sim);
    await sound(sim);
    expect(sim.bank.books.state.totals.unclaimed).toEqual({ USDC: -7_000_000n, SOL: -250_000_000n });
    await agent.deposit({ amount: 7, token: 'USDC', tx_signature: gift });
    expect(sim.bank.books.state.totals.unclaimed.USDC).toBe(0n);
    await sound(sim);
  });

  it('rejects deposits that are unknown, from another sender, of another amount or older than the books', async () => {
    const sim = await bankOn(cluster, 4);
    const [alice, bob] = [await agentOf(sim, cluster, 5), await agentOf(sim, cluster, 6)];
    const unknown = bs58.encode(Buffer.alloc(64, 7));
    const deposit = (agent: AgentClient, tx_signature: string, amount = 5) =>
      agent.deposit({ amount, token: 'USDC', tx_signature });
    await expect(deposit(alice, unknown)).rejects.toMatchObject({ code: 'transaction_not_found' });
    const signature = await bob.sendToTreasury(5, 'USDC');
    await expect(deposit(alice, signature)).rejects.toMatchObject({ code: 'sender_mismatch' });
    await expect(deposit(bob, signature, 6)).rejects.toMatchObject({ code: 'amount_mismatch' });
    await sound(sim);
    const later = await bankOn(cluster, 4);
    await expect(deposit(await agentOf(later, cluster, 6), signature)).rejects.toMatchObject({
      code: 'transaction_too_old',
    });
    await sound(later);
  });

  it('fails a withdrawal that the chain rejects and returns the amount to checking', async () => {
    const sim = await bankOn(cluster, 4);
    const agent = await agentOf(sim, cluster, 5);
    await agent.fund(1, 'SOL');
    // Fewer lamports than the rent-exempt minimum.
    const tiny = { amount: 0.000_000_1, token: 'SOL', destination: AgentWallet.generate().address } as const;
    await expect(agent.withdraw(tiny)).rejects.toMatchObject({ code: 'transaction_failed' });
    expect((await agent.account()).checking.sol).toBe(1);
    await sound(sim);
  });

  it('rejects faults that can never fire there: of the chain, and of its JSON-RPC', async () => {
    const sim = await bankOn(cluster, 4);
    for (const fault of [
      { endpoint: 'x402Pay', effect: 'drop-transaction' },
      { endpoint: 'withdraw', effect: 'delay-transaction', delay: '5s' },
      { endpoint: 'withdraw', effect: 'expire-blockhash' },
      { endpoint: 'deposit', effect: 'chain-unavailable' },
      { endpoint: '*', effect: 'chain-unavailable', phase: 'chain-confirm' },
      { rpc: 'sendTransaction', effect: 'drop-transaction' },
      { rpc: '*', effect: 'lose-response' },
    ] as const)
      expect(() => sim.faults.add(fault), JSON.stringify(fault)).toThrow(ClusterLimit);
    const response = await sim.fetch('/_sim/v1/faults', {
      method: 'POST',
      body: JSON.stringify({ rpc: 'getBalance', effect: 'lose-response' }),
    });
    expect(await response.json()).toMatchObject({ code: 'not_on_a_cluster' });
    for (const effect of ['lose-response', 'drop-connection', 'oracle-outage'] as const)
      sim.faults.add({ endpoint: 'x402Pay', effect });
    expect(sim.faults.list()).toHaveLength(3);
  });

  it('rejects operations that a cluster cannot do and names the alternative', async () => {
    const sim = await bankOn(cluster, 4);
    expect(() => sim.setTime('frozen')).toThrow(ClusterLimit);
    await expect(sim.advance('1d')).rejects.toThrow('Use --engine bankrun');
    await expect(sim.snapshot()).rejects.toThrow(ClusterLimit);
    await expect(sim.revert('snapshot-1')).rejects.toThrow(ClusterLimit);
    await expect(sim.fork()).rejects.toThrow('the chain of a cluster cannot be reverted');
    await expect(sim.openFork({ before: 1 })).rejects.toThrow(ClusterLimit);
    await expect(sim.exportState({ withKeys: true })).rejects.toThrow('the key of its treasury');
    await expect(sim.importState(new Uint8Array(0))).rejects.toThrow(ClusterLimit);
    const { address } = at(cluster, 5);
    await expect(sim.faucet(address, 1, 'SOL')).rejects.toThrow('requestAirdrop');
    await expect(sim.setBalance(address, 1, 'SOL')).rejects.toThrow(ClusterLimit);
    const agent = await agentOf(sim, cluster, 5);
    const { application } = await agent.applyForLoan({ amount: 100, purpose: 'task' });
    await sim.reviews.approve(application.id);
    await expect(sim.reviews.pay(application.id, 1)).rejects.toThrow(ClusterLimit);
    expect((await sim.reviews.default(application.id)).status).toBe('defaulted');
    await expect(sim.listenRpc()).rejects.toThrow("use the cluster's");
    expect(() => sim.chain.getTransaction(bs58.encode(Buffer.alloc(64, 7)))).toThrow(ClusterLimit);
    expect(() => sim.agent(0)).toThrow('a cluster has no dev wallets');
    const control = async (method: string, path: string) =>
      (await sim.fetch(`/_sim/v1${path}`, { method, ...(method === 'POST' ? { body: '{}' } : {}) })).json();
    expect(await control('POST', '/snapshots')).toMatchObject({ code: 'not_on_a_cluster' });
    expect(await control('GET', '/time')).toMatchObject({ mode: 'real' });
    const own = agent.wallet.address;
    for (const path of ['/chain/transactions', '/differences?from=now', '/customers?sort=score'])
      expect([path, await control('GET', path)]).toMatchObject([path, { code: 'not_on_a_cluster' }]);
    expect(await control('GET', '/customers?search=' + own)).toMatchObject({
      customers: [{ wallet: own, score: null }],
    });
    expect(await control('GET', `/customers/${own}`)).toMatchObject({
      wallet: own,
      score: { decision: 'DENY' },
    });
    expect(await control('GET', `/chain/accounts/${own}`)).toMatchObject({ address: own });
    expect(await control('GET', '/journal/entries')).toMatchObject({
      size: 7,
    });
    expect(await control('GET', '/history')).toMatchObject({ limit: 0, requests: [] });
    expect(await control('POST', '/history/1/revert')).toMatchObject({ code: 'not_on_a_cluster' });
  });

  it('is served by sim start to an agent that transacts on the cluster', { tags: ['slow'] }, async () => {
    const key = temporaryFile(JSON.stringify([...bs58.decode(at(cluster, 8).secretKey)]));
    const options = ['--engine', 'cluster', '--cluster-url', cluster.rpcUrl, '--treasury-key', key];
    const { ready, stop: stopped } = await serving(...options);
    expect(ready).toMatchObject({
      engine: 'cluster',
      treasury: at(cluster, 8).address,
      wallets: [],
      rpcUrl: cluster.rpcUrl,
      webSocketUrl: null,
    });
    const wallet = AgentWallet.fromSecretKey(at(cluster, 9).secretKey);
    const agent = new AgentClient({ baseUrl: ready.baseUrl, wallet, chain: chainAt(cluster.rpcUrl) });
    expect((await agent.fund(12, 'USDC')).balance.current).toBe(12);
    await stopped();
  });
});

describe('cluster with late confirmation', { tags: ['slow'] }, () => {
  it('completes a withdrawal after waiting for confirmation', async () => {
    const cluster = await startCluster('--confirmation-slots', '2,4');
    onTestFinished(() => stop(cluster));
    const sim = await bankOn(cluster, 0);
    const agent = await agentOf(sim, cluster, 5);
    await agent.fund(10, 'USDC');
    expect((await agent.withdraw({ amount: 4, token: 'USDC' })).withdrawal.status).toBe('completed');
    await sound(sim);
  });
});

describe('unreachable cluster', { tags: ['slow'] }, () => {
  it('answers chain_unavailable without changing state, while operations off chain succeed', async () => {
    const cluster = await startCluster();
    onTestFinished(() => stop(cluster));
    const sim = await bankOn(cluster, 0);
    const agent = await agentOf(sim, cluster, 5);
    await agent.fund(50, 'USDC');
    const late = await agent.sendToTreasury(1, 'USDC');
    await stop(cluster);

    const unavailable = { code: 'chain_unavailable', status: 500 };
    await expect(agent.withdraw({ amount: 5, token: 'USDC' })).rejects.toMatchObject(unavailable);
    const recipient = at(cluster, 6).address;
    await expect(agent.pay({ recipient, amount: 5, token: 'USDC' })).rejects.toMatchObject(unavailable);
    const deposit = { amount: 1, token: 'USDC', tx_signature: late } as const;
    await expect(agent.deposit(deposit)).rejects.toMatchObject(unavailable);
    await expect(agent.receive({ tx_signature: late })).rejects.toMatchObject(unavailable);
    await expect(agent.requestPayment({ amount: 1 })).rejects.toMatchObject(unavailable);
    await expect(agent.profile()).rejects.toMatchObject(unavailable);
    // Errors that do not depend on the chain take precedence.
    await expect(agent.withdraw({ amount: 500, token: 'USDC' })).rejects.toMatchObject({
      code: 'insufficient_balance',
    });
    await expect(agent.deposit({ ...deposit, amount: -1 })).rejects.toMatchObject({
      code: 'invalid_amount',
    });

    await agent.depositSavings({ amount: 20, token: 'USDC' });
    expect(await agent.account()).toMatchObject({ checking: { usdc: 30 }, savings: { usdc: 20 } });
    await sim.agent(AgentWallet.fromSecretKey(at(cluster, 7).secretKey)).signIn();
    await expect(sim.invariants()).rejects.toThrow('cannot be reached');
  });
});

describe('sim start --engine cluster', () => {
  const start = (...args: string[]) => failing(2, 'start', '--port', '0', '--engine', 'cluster', ...args);
  const key = JSON.stringify([...bs58.decode(AgentWallet.generate().secretKey())]);

  it('reports a missing or invalid option in one line and exits with 2', async () => {
    const clusterUrl = 'http://127.0.0.1:1';
    const nobody = ['--cluster-url', clusterUrl];
    const file = temporaryFile(key);
    const broken = JSON.stringify([...Buffer.alloc(64, 1)]);
    const tries: [string[], string][] = [
      [nobody, '--treasury-key'],
      [[...nobody, '--treasury-key', temporaryFile('{}')], 'JSON array of 64 numbers'],
      [[...nobody, '--treasury-key', file], 'http://127.0.0.1:1 cannot be reached'],
    ];
    for (const [args, text] of tries) expect(await start(...args)).toContain(text);
    const shown = { inspector: true, paywall: false, json: true, keys: false, quiet: true };
    const cli = { port: 0, host: '127.0.0.1', rpc: true, variant: [], limit: [], ...shown };
    const wrong: [Partial<StartArguments>, string][] = [
      [{ treasuryKey: file }, 'clusterUrl: engine cluster needs'],
      [{ clusterUrl: 'ws://127.0.0.1:1', treasuryKey: file }, 'http or https'],
      [{ clusterUrl, treasuryKey: '/nowhere/key.json' }, 'cannot be read (ENOENT)'],
      [{ clusterUrl, treasuryKey: temporaryFile('[1,2,3]') }, 'JSON array of 64 numbers'],
      [{ clusterUrl, treasuryKey: temporaryFile(broken) }, 'not the public key'],
      [{ clusterUrl, treasuryKey: file, time: 'frozen' }, 'the time of a cluster is real'],
      [{ clusterUrl, treasuryKey: file, startTime: '2026-01-01' }, 'the time of a cluster is real'],
      [{ clusterUrl, treasuryKey: file, confirmationSlots: '2' }, 'a cluster confirms by itself'],
      [{ clusterUrl, treasuryKey: file, usdcMint: 'USDC' }, '--usdc-mint: must be a Solana address'],
      [{ clusterUrl, treasuryKey: file, rpcPort: 0 }, '--rpc-port'],
      [{ clusterUrl, engine: 'litesvm' }, '--cluster-url: only for engine cluster'],
    ];
    for (const [args, text] of wrong) {
      expect(() => startOptions({ ...cli, engine: 'cluster', ...args })).toThrow(text);
      expect(() => startOptions({ ...cli, engine: 'cluster', ...args })).toThrow(UsageError);
    }
  });

  it('reports a treasury without SOL and an invalid mint', { tags: ['slow'] }, async () => {
    const cluster = await startCluster();
    onTestFinished(() => stop(cluster));
    const file = temporaryFile(key);
    const options = ['--cluster-url', cluster.rpcUrl, '--treasury-key', file];
    const { address } = AgentWallet.fromFile(file);
    expect(await start(...options)).toContain(`the treasury ${address} has 0 SOL`);
    const mint = at(cluster, 0).address;
    expect(await start(...options, '--usdc-mint', mint)).toContain(`${mint} is not a mint`);
  });
});
