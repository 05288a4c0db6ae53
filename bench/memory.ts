import { createSimulator } from '../src/index.js';
import { collectGarbage, ensure } from './measure.js';
import type { Benchmark } from './report.js';

const ENTRIES = 300_000;
const WARM_UP = 20_000;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** What an entry of the journal costs in memory, with its place in the agent's history. */
export const memory: Benchmark = {
  name: 'memory',
  run: async () => {
    const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
    await sim.agent(0).fund(10_000, 'USDC');
    const input = { wallet: sim.wallets[0]?.address ?? '', amount: 0.01, token: 'USDC' };
    const fill = (entries: number) => {
      for (let at = 0; at < entries; at += 1) {
        const done = at % 2 === 0 ? sim.bank.savingsDeposit(input) : sim.bank.savingsWithdraw(input);
        ensure(done.ok, 'an operation was refused');
      }
    };
    fill(WARM_UP);
    const [bytesBefore, before] = [heapBytes(), sim.bank.books.state.seq];
    fill(ENTRIES);
    const bytes = heapBytes() - bytesBefore;
    const measured = bytes / (sim.bank.books.state.seq - before);
    await sim.close();
    const target = { kind: 'at most', value: 600 } as const;
    return [{ name: 'heap of a journal entry', unit: 'bytes', measured, ceiling: null, target }];
  },
};
