import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { type Simulator, createSimulator } from '../src/index.js';
import { ensure, interleave, msOf } from './measure.js';
import type { Benchmark, Row } from './report.js';
import { makeSavers } from './savers.js';

const ENTRIES = 100_000;
const AGENTS = 100;
/** Loading a state takes at most this fraction of the time its entries took. */
const TARGET = { kind: 'at most', value: 0.1 } as const;

/** Makes entries on the books only, by agents in turn. */
function play(sim: Simulator, wallets: readonly string[], until: number): void {
  for (let at = 0; sim.bank.books.state.seq < until; at += 1) {
    const input = { wallet: wallets[at % wallets.length] ?? '', amount: 0.01, token: 'USDC' };
    const saving = Math.floor(at / wallets.length) % 2 === 0;
    const done = saving ? sim.bank.savingsDeposit(input) : sim.bank.savingsWithdraw(input);
    ensure(done.ok, 'an operation was refused');
  }
}

async function offChain(engine: EmbeddedEngineName): Promise<Row[]> {
  const seed = await createSimulator({ engine, time: 'frozen' });
  const wallets = makeSavers(seed, AGENTS);
  const begun = await seed.exportState();
  play(seed, wallets, ENTRIES);
  const state = await seed.exportState();
  const ms = await interleave(
    { rounds: 5, warmUp: 1 },
    {
      execute: async () => {
        const sim = await createSimulator({ state: begun });
        const taken = await msOf(() => play(sim, wallets, ENTRIES));
        await sim.close();
        return taken;
      },
      load: async () => {
        let loaded = seed;
        const taken = await msOf(async () => {
          loaded = await createSimulator({ state });
        });
        ensure(loaded !== seed && loaded.books.entries() === ENTRIES, 'the state lacks entries');
        await loaded.close();
        return taken;
      },
      loadAndPage: async () => {
        let sim = seed;
        const taken = await msOf(async () => {
          sim = await createSimulator({ state });
          for (const wallet of wallets) sim.bank.transactions({ wallet, limit: 100, offset: 0 });
        });
        await sim.close();
        return taken;
      },
      loadAndReadAll: async () => {
        let sim = seed;
        const taken = await msOf(async () => {
          sim = await createSimulator({ state });
          for (let seq = 1; seq <= ENTRIES; seq += 1) sim.bank.books.entryAt(seq);
        });
        await sim.close();
        return taken;
      },
      save: () => msOf(() => seed.exportState()),
    },
  );
  await seed.close();
  const of = `${ENTRIES.toLocaleString('en-US')} entries, ${engine}`;
  const row = (name: string, measured: number, target: Row['target']): Row => ({
    name: `${name} ${of}`,
    unit: 'ms',
    measured,
    ceiling: ms.execute,
    target,
  });
  return [
    row('load a state against executing its', ms.load, TARGET),
    row('  and a page of history of each agent,', ms.loadAndPage, null),
    row('  and every entry taken apart,', ms.loadAndReadAll, null),
    row('  export of', ms.save, null),
    {
      name: `  bytes of a state of ${of}`,
      unit: 'bytes',
      measured: state.length,
      ceiling: null,
      target: null,
    },
  ];
}

const TRANSFERS = 2_000;

/** Entries that moved money on chain include their transactions and accounts. */
async function onChain(engine: EmbeddedEngineName): Promise<Row> {
  const seed = await createSimulator({ engine, time: 'frozen' });
  const [wallet = '', destination = ''] = makeSavers(seed, 1).concat(seed.wallets[1]?.address ?? '');
  const executed = await msOf(async () => {
    for (let at = 0; at < TRANSFERS; at += 1) {
      const done = await seed.bank.withdraw({ wallet, destination, amount: 0.000_001, token: 'USDC' });
      ensure(done.ok, 'a withdrawal was refused');
    }
  });
  const state = await seed.exportState();
  const { load } = await interleave(
    { rounds: 5, warmUp: 1 },
    {
      load: async () => {
        let sim = seed;
        const taken = await msOf(async () => {
          sim = await createSimulator({ state });
        });
        await sim.close();
        return taken;
      },
    },
  );
  await seed.close();
  return {
    name: `load a state against executing its ${TRANSFERS.toLocaleString('en-US')} withdrawals, ${engine}`,
    unit: 'ms',
    measured: load,
    ceiling: executed,
    target: TARGET,
  };
}

/** The cost of resuming from a file, against executing it all again. An engine start is included. */
export const state: Benchmark = {
  name: 'state',
  run: async () => {
    const rows: Row[] = [];
    for (const engine of ['bankrun', 'litesvm'] as const)
      rows.push(...(await offChain(engine)), await onChain(engine));
    return rows;
  },
};
