import { type Simulator, createSimulator } from '../src/index.js';
import { ensure, interleave, msOf } from './measure.js';
import type { Benchmark } from './report.js';
import { makeSavers } from './savers.js';

const SMALL = 1_000;
const LARGE = 1_000_000;
const REPEATS = 300;
const TARGET = { kind: 'at most', value: 1.3 } as const;

interface World {
  readonly sim: Simulator;
  readonly wallet: string;
}

/** A world with the given number of entries: half of one agent, the rest of one agent for every thousand. */
async function world(entries: number): Promise<World> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const wallets = makeSavers(sim, 1 + Math.ceil(entries / 1_000));
  const wallet = wallets.pop() ?? '';
  for (let at = 0; sim.bank.books.state.seq < entries; at += 1) {
    const pair = at >> 1;
    const owner = at % 2 === 0 ? wallet : (wallets[pair % wallets.length] ?? '');
    const input = { wallet: owner, amount: 0.01, token: 'USDC' };
    const saving = Math.floor(pair / wallets.length) % 2 === 0;
    const done = saving ? sim.bank.savingsDeposit(input) : sim.bank.savingsWithdraw(input);
    ensure(done.ok, 'an operation was refused');
  }
  return { sim, wallet };
}

/** The cost of the overview and a page of history in a large journal, against a small one. */
export const journalSize: Benchmark = {
  name: 'journal-size',
  run: async () => {
    const [small, large] = [await world(SMALL), await world(LARGE)];
    const page = { limit: 50, offset: 0 };
    const filtered = { ...page, type: 'savings_deposit', token: 'USDC' } as const;
    const queries = {
      overview: ({ sim, wallet }: World) => sim.bank.account(wallet),
      'history page': ({ sim, wallet }: World) => {
        const { transactions } = sim.bank.transactions({ wallet, ...page });
        ensure(transactions.length === 50, 'the page is not full');
      },
      'history page by type and token': ({ sim, wallet }: World) => {
        const { transactions } = sim.bank.transactions({ wallet, ...filtered });
        ensure(transactions.length === 50, 'the page is not full');
      },
    };
    const rows = [];
    for (const [name, query] of Object.entries(queries)) {
      const sample = (where: World) => async () =>
        ((await msOf(() => {
          for (let at = 0; at < REPEATS; at += 1) query(where);
        })) /
          REPEATS) *
        1_000;
      const us = await interleave({ rounds: 15, warmUp: 5 }, { small: sample(small), large: sample(large) });
      rows.push({
        name: `${name}, 1M entries`,
        unit: 'µs',
        measured: us.large,
        ceiling: us.small,
        target: TARGET,
      } as const);
    }
    await small.sim.close();
    await large.sim.close();
    return rows;
  },
};
