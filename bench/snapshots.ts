import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { createSimulator } from '../src/index.js';
import { bankrun } from './ceilings/bankrun.js';
import { type RawEngine, rawRate } from './ceilings/engine.js';
import { litesvm } from './ceilings/litesvm.js';
import { ensure, interleave, msOf } from './measure.js';
import type { Benchmark, Row } from './report.js';
import { makeSavers } from './savers.js';

const TARGET = { kind: 'at most', value: 3 } as const;

async function withAgents(engine: EmbeddedEngineName, agents: number, raw: RawEngine): Promise<Row[]> {
  const sim = await createSimulator({ engine, time: 'frozen' });
  for (const wallet of makeSavers(sim, agents)) {
    // Adds accounts and history on chain for a tenth of the agents, since each takes a transaction.
    if (Math.random() < 0.1) await sim.faucet(wallet, 1, 'SOL');
  }
  const agent = sim.agent(0);
  await agent.fund(100, 'USDC');
  const [wallet, destination] = [agent.wallet.address, sim.wallets[1]?.address ?? ''];
  const transfer = () =>
    msOf(async () => {
      const done = await sim.bank.withdraw({ wallet, destination, amount: 0.000001, token: 'USDC' });
      ensure(done.ok, 'a withdrawal was refused');
    });
  const around = async () => {
    let id = '';
    const before = await msOf(async () => {
      id = await sim.snapshot();
    });
    await agent.fund(1, 'USDC');
    const after = await msOf(() => sim.revert(id));
    sim.deleteSnapshot(id);
    return before + after;
  };
  const ms = await interleave(
    { rounds: 60, warmUp: 20 },
    {
      around,
      raw: async () => 1_000 / (await rawRate(raw, 10)),
      // An engine may be slower at the first transaction after a revert: bankrun has to get another blockhash.
      first: async () => {
        await around();
        return transfer();
      },
      second: async () => {
        await transfer();
        return transfer();
      },
    },
  );
  await sim.close();
  const name = `${engine}, ${agents.toLocaleString('en-US')} agents`;
  const us = { around: ms.around * 1_000, raw: ms.raw * 1_000 };
  const cycle = us.around + Math.max(0, ms.first - ms.second) * 1_000;
  return [
    { name: `snapshot+revert, ${name}`, unit: 'µs', measured: us.around, ceiling: us.raw, target: TARGET },
    {
      name: `  and a slower next transfer, ${name}`,
      unit: 'µs',
      measured: cycle,
      ceiling: us.raw,
      target: null,
    },
  ];
}

/** The cost of a snapshot before a deposit and a revert after it, against a transfer of the engine. */
export const snapshots: Benchmark = {
  name: 'snapshots',
  run: async () => {
    const rows: Row[] = [];
    for (const engine of ['bankrun', 'litesvm'] as const) {
      const raw = engine === 'bankrun' ? await bankrun() : litesvm();
      for (const agents of [100, 10_000]) rows.push(...(await withAgents(engine, agents, raw)));
    }
    return rows;
  },
};
