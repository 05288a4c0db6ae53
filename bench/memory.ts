import type { EndpointId } from '../src/contract/endpoints.js';
import { type Simulator, createSimulator } from '../src/index.js';
import { collectGarbage, ensure } from './measure.js';
import type { Benchmark, Row } from './report.js';

const ENTRIES = 300_000;
const KEYS = 10_000;
const WARM_UP = 20_000;
const AMOUNT = 0.01;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function bytesOf(work: () => unknown): Promise<number> {
  const before = heapBytes();
  await work();
  return heapBytes() - before;
}

async function opened(): Promise<Simulator> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  await sim.agent(0).fund(10_000, 'USDC');
  return sim;
}

/** The memory of a journal entry, including its place in the agent's history. */
async function entryBytes(): Promise<number> {
  const sim = await opened();
  const input = { wallet: sim.wallets[0]?.address ?? '', amount: AMOUNT, token: 'USDC' };
  const fill = (entries: number) => {
    for (let at = 0; at < entries; at += 1) {
      const done = at % 2 === 0 ? sim.bank.savingsDeposit(input) : sim.bank.savingsWithdraw(input);
      ensure(done.ok, 'an operation was refused');
    }
  };
  fill(WARM_UP);
  const before = sim.bank.books.state.seq;
  const bytes = await bytesOf(() => fill(ENTRIES));
  const measured = bytes / (sim.bank.books.state.seq - before);
  await sim.close();
  return measured;
}

/** The memory of an Idempotency-Key beyond its call, including the key's text and the wallet's. */
async function keyBytes(operation: EndpointId, more: (sim: Simulator) => object): Promise<number> {
  const sim = await opened();
  const authorization = `Bearer ${(await sim.agent(0).signIn()).token}`;
  const others = more(sim);
  const fill = async (calls: number, keys: string | null) => {
    for (let at = 0; at < calls; at += 1) {
      // Different amounts make different requests; all of them stay within the daily limit.
      const body = { amount: (at + 1) / 1e6, token: 'USDC', ...others };
      const key = keys === null ? null : `${keys}-${at}`;
      const response = await sim.api.call({ operation, authorization, body, key });
      ensure(response.body?.status === 200, 'an operation was refused');
    }
  };
  // By then the event log is full and no longer grows.
  await fill(WARM_UP, null);
  const plain = await bytesOf(() => fill(KEYS, null));
  const keyed = await bytesOf(() => fill(KEYS, 'key'));
  await sim.close();
  return (keyed - plain) / KEYS;
}

function row(name: string, measured: number, value: number): Row {
  return { name, unit: 'bytes', measured, ceiling: null, target: { kind: 'at most', value } };
}

/** The memory of books and idempotency keys. */
export const memory: Benchmark = {
  name: 'memory',
  run: async () => [
    row('heap of a journal entry', await entryBytes(), 600),
    row('heap of an Idempotency-Key, savings deposit', await keyBytes('savingsDeposit', () => ({})), 600),
    row(
      'heap of an Idempotency-Key, x402 payment',
      await keyBytes('x402Pay', (sim) => ({ recipient: sim.wallets[1]?.address })),
      650,
    ),
  ],
};
