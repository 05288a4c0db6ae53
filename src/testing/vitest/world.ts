import { test as base } from 'vitest';
import type { AgentClient } from '../../sdk/client/client.js';
import type { SimulatorOptions } from '../../runtime/config.js';
import { type Simulator, createSimulator } from '../../simulator/simulator.js';

/** Fixtures of a test. */
export interface WorldFixtures {
  /** Options of the test's world. Set them with `test.override({ simOptions: … })` or `test.extend`. */
  readonly simOptions: SimulatorOptions;
  /** The test's own world, frozen in time by default; its invariants are checked when the test ends. */
  readonly sim: Simulator;
  /** A signed-in agent with one of the world's funded wallets, and the given balances in checking. */
  readonly agent: (at?: number, checking?: { usdc?: number; sol?: number }) => Promise<AgentClient>;
}

/** vitest's `test` with a world for each test: `test('…', async ({ sim, agent }) => { … })`. */
export const test = base.extend<WorldFixtures>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of dependencies from the pattern
  simOptions: async ({}, use) => {
    await use({});
  },
  sim: async ({ simOptions }, use) => {
    const sim = await createSimulator({ time: 'frozen', ...simOptions });
    try {
      await use(sim);
      const broken = await sim.invariants();
      if (broken.length > 0)
        throw new Error(
          `invariants are violated: ${broken.map(({ rule, text }) => `${rule}: ${text}`).join('; ')}`,
        );
    } finally {
      await sim.close();
    }
  },
  agent: async ({ sim }, use) => {
    await use(async (at = 0, { usdc = 0, sol = 0 } = {}) => {
      const agent = sim.agent(at);
      await agent.signIn();
      if (usdc > 0) await agent.fund(usdc, 'USDC');
      if (sol > 0) await agent.fund(sol, 'SOL');
      return agent;
    });
  },
});
