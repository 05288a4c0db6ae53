// @module-tag slow
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClusterChain } from '../../src/chain/cluster/cluster-chain.js';
import { transferLamports } from '../../src/chain/solana/instructions.js';
import { compileTransaction } from '../../src/chain/solana/wire.js';
import { keyPairOf } from '../../src/world/keys.js';
import { ControlClient } from '../../src/api/control/client.js';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { type Cluster, agentOf, at, bankOn, sound, startCluster, stop } from '../support/cluster.js';
import { listening } from '../support/listening.js';

type ProxyAction =
  | 'pass'
  | 'drop'
  | 'pass, then drop the answer'
  | { readonly answer: string; readonly status?: number; readonly isPassed?: boolean };

/** A proxy in front of a cluster that decides by method what happens to each request. */
class UnreliableProxy {
  url = '';
  readonly methods: string[] = [];
  readonly #waiting: { method: string; resolve: () => void }[] = [];
  action: (method: string, params: readonly unknown[]) => ProxyAction = () => 'pass';

  static async to(cluster: Cluster): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy();
    const server = createServer((request, response) => void proxy.#serve(cluster.rpcUrl, request, response));
    onTestFinished(() => server.closeAllConnections());
    proxy.url = `http://127.0.0.1:${await listening(server)}`;
    return proxy;
  }

  /** Resolves at the next request for the method. */
  next(method: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ method, resolve });
    });
  }

  async #serve(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    this.methods.push(method);
    const action = this.action(method, params);
    for (const waiting of this.#waiting) if (waiting.method === method) waiting.resolve();
    if (action === 'drop') return void response.destroy();
    const replace = ({ answer, status = 200 }: ProxyAction & object) =>
      response.writeHead(status).end(answer);
    if (typeof action === 'object' && action.isPassed !== true) return void replace(action);
    const answer = await fetch(target, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const text = await answer.text();
    if (typeof action === 'object') replace(action);
    else if (action === 'pass') response.writeHead(answer.status).end(text);
    else response.destroy();
  }
}

async function world(...args: string[]) {
  const cluster = await startCluster(...args);
  onTestFinished(() => stop(cluster));
  const proxy = await UnreliableProxy.to(cluster);
  const sim = await bankOn({ ...cluster, rpcUrl: proxy.url }, 0);
  const agent = await agentOf(sim, cluster, 5);
  await agent.fund(100, 'USDC');
  return { cluster, proxy, sim, agent };
}

const isSend = (method: string) => method === 'sendTransaction';

/** A JSON-RPC response with an error. */
function errorAnswer(code: number, data?: unknown) {
  return { answer: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'no', data } }) };
}

describe('transfers with an uncertain outcome', () => {
  it('stay pending while the cluster does not respond and complete when it responds again', async () => {
    const { proxy, sim, agent } = await world();
    proxy.action = (method) => (method === 'getSignatureStatuses' ? 'drop' : 'pass');
    const { withdrawal, balance } = await agent.withdraw({ amount: 30, token: 'USDC' });
    expect(withdrawal).toMatchObject({ status: 'pending', tx_signature: null });
    expect(balance.current).toBe(70);
    const recipient = AgentWallet.generate().address;
    await expect(agent.pay({ recipient, amount: 10, token: 'USDC' })).rejects.toMatchObject({
      code: 'chain_unavailable',
      message: expect.stringContaining('stays reserved') as string,
    });
    expect((await agent.account()).checking.usdc).toBe(60);
    proxy.action = () => 'pass';
    const { transactions } = await agent.transactions();
    expect(transactions.map(({ type, status }) => [type, status])).toEqual([
      ['x402_payment', 'completed'],
      ['withdraw', 'completed'],
      ['deposit', 'completed'],
    ]);
    await sound(sim);
    await sound(sim);
  });

  it('count once where they go when it becomes a collection address meanwhile', async () => {
    const { cluster, proxy, sim, agent } = await world();
    const wallet = AgentWallet.fromSecretKey(at(cluster, 6).secretKey);
    const destination = sim.bank.addresses.collection(wallet.address).address;
    proxy.action = (method) => (method === 'getSignatureStatuses' ? 'drop' : 'pass');
    const { withdrawal } = await agent.withdraw({ amount: 30, token: 'USDC', destination });
    expect(withdrawal.status).toBe('pending');
    await sim.agent(wallet).signIn();
    proxy.action = () => 'pass';
    const { transactions } = await agent.transactions();
    expect(transactions[0]).toMatchObject({ type: 'withdraw', status: 'completed' });
    await sound(sim);
    await agent.withdraw({ amount: 5, token: 'USDC', destination });
    await sound(sim);
  });

  it('count once where they go when it becomes a collection address before they arrive', async () => {
    const { cluster, sim, agent } = await world('--landing-delay', '1s');
    const wallet = AgentWallet.fromSecretKey(at(cluster, 6).secretKey);
    const destination = sim.bank.addresses.collection(wallet.address).address;
    const withdrawn = agent.withdraw({ amount: 30, token: 'USDC', destination });
    await sim.agent(wallet).signIn();
    await sim.bank.reconciler.ready(destination);
    expect((await withdrawn).withdrawal.status).toBe('completed');
    await sound(sim);
  });

  it('complete when only the response to sendTransaction is lost', async () => {
    const { proxy, sim, agent } = await world();
    proxy.methods.length = 0;
    proxy.action = (method) => (isSend(method) ? 'pass, then drop the answer' : 'pass');
    const { withdrawal } = await agent.withdraw({ amount: 30, token: 'USDC' });
    expect(withdrawal.status).toBe('completed');
    expect(proxy.methods.filter(isSend)).toHaveLength(1);
    await sound(sim);
  });

  it('complete once when the node executes them but responds with an error', async () => {
    const { proxy, sim, agent } = await world();
    const recipient = AgentWallet.generate().address;
    // The last ones as by a proxy that has sent the transaction twice.
    for (const [number, error] of [
      errorAnswer(-32_603),
      errorAnswer(-32_005),
      { ...errorAnswer(429), status: 429 },
      errorAnswer(-32_002),
      errorAnswer(-32_002, { err: 'BlockhashNotFound', logs: [] }),
      errorAnswer(-32_003),
    ].entries()) {
      const pay = () =>
        agent.pay({ recipient, amount: 10, token: 'USDC' }, { idempotencyKey: `payment ${number}` });
      proxy.action = (method) => (isSend(method) ? { ...error, isPassed: true } : 'pass');
      const paid = await pay();
      proxy.action = () => 'pass';
      expect(await pay()).toEqual(paid);
      expect((await sim.chain.balances(recipient)).usdcBase).toBe(10_000_000n * BigInt(number + 1));
      await sound(sim);
    }
    expect((await agent.account()).checking.usdc).toBe(40);
  });

  it('are refunded at once when the node rejects them before it sends them on', async () => {
    const { proxy, sim, agent } = await world();
    for (const error of [
      errorAnswer(-32_002, { err: 'BlockhashNotFound', logs: [] }),
      errorAnswer(-32_003),
    ]) {
      proxy.methods.length = 0;
      proxy.action = (method) => (isSend(method) ? error : 'pass');
      const refusal = await agent.withdraw({ amount: 30, token: 'USDC' }).catch((reason: unknown) => reason);
      expect(refusal).toMatchObject({ code: 'chain_unavailable' });
      expect(proxy.methods.filter((method) => method === 'getSignatureStatuses')).toHaveLength(1);
      expect((await agent.account()).checking.usdc).toBe(100);
      await sound(sim);
    }
  });

  it('stay open while a node that is behind does not know them although their blockhash has expired', async () => {
    const { cluster, proxy, sim, agent } = await world('--time', 'frozen');
    const behind = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context: { slot: 1 }, value: [null] } });
    proxy.action = (method) => (method === 'getSignatureStatuses' ? { answer: behind } : 'pass');
    const isSent = proxy.next('getSignatureStatuses');
    const withdrawal = agent.withdraw({ amount: 30, token: 'USDC' });
    await isSent;
    await new ControlClient({ origin: cluster.baseUrl }).do('advance', { body: { blocks: 160 } });
    await proxy.next('getSignatureStatuses');
    await proxy.next('getSignatureStatuses');
    proxy.action = () => 'pass';
    expect((await withdrawal).withdrawal.status).toBe('completed');
    await sound(sim);
  });

  it('are refunded when the blockhash expires before the transaction is executed', async () => {
    const { cluster, proxy, sim, agent } = await world('--time', 'frozen');
    proxy.action = (method) => (isSend(method) ? 'drop' : 'pass');
    const isAsked = proxy.next('getEpochInfo');
    const withdrawal = agent.withdraw({ amount: 30, token: 'USDC' }).catch((error: unknown) => error);
    await isAsked;
    await new ControlClient({ origin: cluster.baseUrl }).do('advance', { body: { blocks: 160 } });
    expect(await withdrawal).toMatchObject({ code: 'chain_unavailable' });
    expect((await agent.account()).checking.usdc).toBe(100);
    await sound(sim);
  });

  it('move savings once although the outcome arrives late', async () => {
    const { proxy, sim, agent } = await world();
    await agent.depositSavings({ amount: 60, token: 'USDC' });
    proxy.action = (method) => (method === 'getSignatureStatuses' ? 'drop' : 'pass');
    await sim.bank.settlement.settleSavings();
    await sim.bank.settlement.settleSavings();
    proxy.action = () => 'pass';
    await sound(sim);
    await sim.bank.settlement.settleSavings();
    await sound(sim);
    const { protocol } = sim.bank.addresses;
    expect((await sim.chain.balances(protocol.address)).usdcBase).toBe(60_000_000n);
  });

  it('stay open after an unexpected error once they are sent', async () => {
    const { cluster, proxy } = await world();
    let isBroken = false;
    const wallMs = () => {
      if (isBroken) throw new TypeError('a bug');
      return Date.now();
    };
    const chain = new ClusterChain({ url: proxy.url, usdcMint: cluster.usdcMint, wallMs });
    const { blockhash } = await chain.latestBlockhash();
    const sender = keyPairOf(at(cluster, 7).secretKey);
    const payment = transferLamports(sender.address, at(cluster, 8).address, 1n);
    const wire = compileTransaction([payment], [sender], blockhash);
    isBroken = true;
    await expect(chain.submitOwn(wire)).rejects.toMatchObject({ name: 'OutcomeUnknown', message: 'a bug' });
    isBroken = false;
    await expect.poll(() => chain.outcomeOf(wire.signature)).toMatchObject({ kind: 'processed' });
  });
});

describe('misbehaving node', () => {
  it('that is behind another one does not make a payment count twice', async () => {
    const { cluster, proxy, sim } = await world('--time', 'frozen');
    const wallet = AgentWallet.fromSecretKey(at(cluster, 6).secretKey);
    const { address } = sim.bank.addresses.collection(wallet.address);
    const stranger = AgentWallet.fromSecretKey(at(cluster, 7).secretKey);
    const { usdcMint } = cluster;
    await stranger.send(sim.chain.connection(), { token: 'SOL', to: address, amount: 2, usdcMint });
    const nothing = JSON.stringify({ jsonrpc: '2.0', id: 1, result: [] });
    let refusals = 0;
    proxy.action = (method, params) => {
      if (method !== 'getSignaturesForAddress') return 'pass';
      const { minContextSlot = 0 } = params[1] as { minContextSlot?: number };
      if (minContextSlot === 0) return { answer: nothing };
      return (refusals += 1) <= 2 ? errorAnswer(-32_016) : 'pass';
    };
    await sim.agent(wallet).signIn();
    await sim.bank.reconciler.ready(address);
    proxy.action = () => 'pass';
    await sound(sim);
  });

  it('is retried once for a read, and reported as chain_unavailable when its response is not Solana JSON-RPC', async () => {
    const { cluster, proxy, agent } = await world();
    const tx_signature = await agent.sendToTreasury(5, 'USDC');
    let left = 1;
    proxy.action = () => ((left -= 1) >= 0 ? 'drop' : 'pass');
    await agent.deposit({ amount: 5, token: 'USDC', tx_signature });
    const unrecorded = await agent.sendToTreasury(6, 'USDC');
    for (const [action, text] of [
      [{ answer: '<html>', status: 502 }, 'HTTP 502 without JSON'],
      [{ answer: '{"ok":true}' }, 'without JSON-RPC'],
      [{ answer: '{"jsonrpc":"2.0","id":1,"result":"?"}' }, "is not Solana's"],
      [
        { answer: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Node is behind"}}' },
        'Node is behind',
      ],
    ] as const) {
      proxy.action = () => action;
      const deposit = agent.deposit({ amount: 6, token: 'USDC', tx_signature: unrecorded });
      await expect(deposit).rejects.toMatchObject({
        code: 'chain_unavailable',
        details: { reason: expect.stringContaining(text) as string },
      });
      const start = bankOn({ ...cluster, rpcUrl: `${proxy.url}/?api-key=secret` }, 1);
      await expect(start).rejects.toThrow(text);
      await expect(start).rejects.not.toThrow('secret');
    }
  });
});
