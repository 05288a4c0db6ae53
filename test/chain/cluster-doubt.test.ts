import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { type Cluster, agentOf, bankOn, sound, startCluster, stop } from '../support/cluster.js';

type Fate =
  'pass' | 'drop' | 'pass, then drop the answer' | { readonly answer: string; readonly status?: number };

/** A bad line to a cluster: it decides by method what becomes of each request. */
class Line {
  url = '';
  readonly asked: string[] = [];
  readonly #waiting: { method: string; resolve: () => void }[] = [];
  fate: (method: string) => Fate = () => 'pass';

  static async to(cluster: Cluster): Promise<Line> {
    const line = new Line();
    const server = createServer((request, response) => void line.#serve(cluster.rpcUrl, request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return line;
  }

  /** Resolves when a method is asked for next. */
  next(method: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ method, resolve });
    });
  }

  async #serve(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('utf8');
    const { method } = JSON.parse(body) as { method: string };
    this.asked.push(method);
    const fate = this.fate(method);
    for (const waiting of this.#waiting) if (waiting.method === method) waiting.resolve();
    if (fate === 'drop') return void response.destroy();
    if (typeof fate === 'object') return void response.writeHead(fate.status ?? 200).end(fate.answer);
    const answer = await fetch(target, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const text = await answer.text();
    if (fate === 'pass') response.writeHead(answer.status).end(text);
    else response.destroy();
  }
}

async function world(...args: string[]) {
  const cluster = await startCluster(...args);
  onTestFinished(() => stop(cluster));
  const line = await Line.to(cluster);
  const sim = await bankOn({ ...cluster, rpcUrl: line.url }, 0);
  const agent = await agentOf(sim, cluster, 5);
  await agent.fund(100, 'USDC');
  return { cluster, line, sim, agent };
}

const isSend = (method: string) => method === 'sendTransaction';

describe('a transfer whose outcome is in doubt', () => {
  it('is pending when it was sent and the cluster falls silent, and completed when it speaks again', async () => {
    const { line, sim, agent } = await world();
    line.fate = (method) => (method === 'getSignatureStatuses' ? 'drop' : 'pass');
    const { withdrawal, balance } = await agent.withdraw({ amount: 30, token: 'USDC' });
    expect(withdrawal).toMatchObject({ status: 'pending', tx_signature: null });
    expect(balance.current).toBe(70);
    const recipient = AgentWallet.generate().address;
    await expect(agent.pay({ recipient, amount: 10, token: 'USDC' })).rejects.toMatchObject({
      code: 'chain_unavailable',
      message: expect.stringContaining('stays reserved') as string,
    });
    expect((await agent.account()).checking.usdc).toBe(60);
    line.fate = () => 'pass';
    const { transactions } = await agent.transactions();
    expect(transactions.map(({ type, status }) => [type, status])).toEqual([
      ['x402_payment', 'completed'],
      ['withdraw', 'completed'],
      ['deposit', 'completed'],
    ]);
    await sound(sim);
    await sound(sim);
  });

  it('is followed to its end when only the answer to its sending was lost', async () => {
    const { line, sim, agent } = await world();
    line.asked.length = 0;
    line.fate = (method) => (isSend(method) ? 'pass, then drop the answer' : 'pass');
    const { withdrawal } = await agent.withdraw({ amount: 30, token: 'USDC' });
    expect(withdrawal.status).toBe('completed');
    expect(line.asked.filter(isSend)).toHaveLength(1);
    await sound(sim);
  });

  it('is given back when its blockhash has run out without it', async () => {
    const { cluster, line, sim, agent } = await world('--time', 'frozen');
    line.fate = (method) => (isSend(method) ? 'drop' : 'pass');
    const isAsked = line.next('getBlockHeight');
    const withdrawal = agent.withdraw({ amount: 30, token: 'USDC' }).catch((error: unknown) => error);
    await isAsked;
    await fetch(new URL('/_sim/v1/time/advance', cluster.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"by":"5m"}',
    });
    expect(await withdrawal).toMatchObject({ code: 'chain_unavailable' });
    expect((await agent.account()).checking.usdc).toBe(100);
    await sound(sim);
  });

  it('moves savings once, though the outcome comes late', async () => {
    const { line, sim, agent } = await world();
    await agent.depositSavings({ amount: 60, token: 'USDC' });
    line.fate = (method) => (method === 'getSignatureStatuses' ? 'drop' : 'pass');
    await sim.bank.settlement.settleSavings();
    await sim.bank.settlement.settleSavings();
    line.fate = () => 'pass';
    await sound(sim);
    await sim.bank.settlement.settleSavings();
    await sound(sim);
    const { protocol } = sim.bank.addresses;
    expect((await sim.chain.balances(protocol.address)).usdcBase).toBe(60_000_000n);
  });
});

describe('a node that misbehaves', () => {
  it('is tried twice for a read, and refused clearly when it is no Solana node', async () => {
    const { cluster, line, agent } = await world();
    const tx_signature = await agent.sendToTreasury(5, 'USDC');
    let left = 1;
    line.fate = () => ((left -= 1) >= 0 ? 'drop' : 'pass');
    await agent.deposit({ amount: 5, token: 'USDC', tx_signature });
    for (const [fate, text] of [
      [{ answer: '<html>', status: 502 }, 'HTTP 502 and no JSON'],
      [{ answer: '{"ok":true}' }, 'no JSON-RPC'],
      [{ answer: '{"jsonrpc":"2.0","id":1,"result":"?"}' }, "is not Solana's"],
      [
        { answer: '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"Node is behind"}}' },
        'Node is behind',
      ],
    ] as const) {
      line.fate = () => fate;
      await expect(agent.deposit({ amount: 5, token: 'USDC', tx_signature })).rejects.toMatchObject({
        code: 'chain_unavailable',
        details: { reason: expect.stringContaining(text) as string },
      });
      const start = bankOn({ ...cluster, rpcUrl: `${line.url}/?api-key=secret` }, 1);
      await expect(start).rejects.toThrow(text);
      await expect(start).rejects.not.toThrow('secret');
    }
  });
});
