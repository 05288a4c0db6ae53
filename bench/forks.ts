import { startEngine } from '../src/chain/engines/start.js';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { createSimulator } from '../src/index.js';
import { ensure, interleave, msOf, randomAddress } from './measure.js';
import type { Benchmark, Row } from './report.js';
import { makeSavers } from './savers.js';

const AGENTS = 1_000;
/** Milliseconds that each agent may add to a fresh start of the engine. */
const ALLOWED_MS: Readonly<Record<EmbeddedEngineName, number>> = { bankrun: 1, litesvm: 0.1 };

async function forkRow(engine: EmbeddedEngineName): Promise<Row> {
  const sim = await createSimulator({ engine, time: 'frozen' });
  // Each agent has SOL and USDC on chain: a fork has to write their accounts.
  for (const wallet of makeSavers(sim, AGENTS)) {
    await sim.faucet(wallet, 1, 'SOL');
    await sim.faucet(wallet, 5, 'USDC');
  }
  const ms = await interleave(
    { rounds: 7, warmUp: 1 },
    {
      fork: async () => {
        let other = sim;
        const taken = await msOf(async () => {
          other = await sim.fork();
        });
        ensure(other !== sim && other.bank.books.state.agents.size >= AGENTS, 'the fork has no agents');
        await other.close();
        return taken;
      },
      start: async () => {
        let started: Awaited<ReturnType<typeof startEngine>> | null = null;
        const taken = await msOf(async () => {
          started = await startEngine(engine);
          await started.getAccount(randomAddress());
        });
        (started as { release(): void } | null)?.release();
        return taken;
      },
    },
  );
  await sim.close();
  return {
    name: `fork of ${AGENTS.toLocaleString('en-US')} agents against a start and ${ALLOWED_MS[engine]} ms each, ${engine}`,
    unit: 'ms',
    measured: ms.fork,
    ceiling: ms.start + AGENTS * ALLOWED_MS[engine],
    target: { kind: 'at most', value: 1 },
  };
}

/** The cost of a fork. */
export const forks: Benchmark = {
  name: 'forks',
  run: async () => [await forkRow('bankrun'), await forkRow('litesvm')],
};
