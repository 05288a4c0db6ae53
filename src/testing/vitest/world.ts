import { test as base } from 'vitest';
import { checkInput } from '../../runtime/inspection/queries.js';
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

/** The end of the message of a `BankError`. */
const REFUSAL = /\((\w+), HTTP (\d+); sim\.explain\('(\w+)'\)\)$/;

/** vitest's `test` with a world for each test: `test('…', async ({ sim, agent }) => { … })`. */
export const test = base.extend<WorldFixtures>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of dependencies from the pattern
  simOptions: async ({}, use) => {
    await use({});
  },
  sim: async ({ simOptions, task }, use) => {
    const sim = await createSimulator({ time: 'frozen', ...simOptions });
    try {
      await use(sim);
      // The world is gone when somebody reads the message.
      for (const error of task.result?.errors ?? []) {
        const [, code, status, requestId = ''] = REFUSAL.exec(error.message) ?? [];
        const text = sim.explain(requestId)?.text ?? '';
        // Another world of the test may have the same id.
        if (text.includes(`refused with ${status} ${code}`)) error.message += `\n${text}`;
      }
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
    const blocks = sim.config.confirmationSlots.confirmed;
    await use(async (at = 0, checking = {}) => {
      checkInput(checking, {}, ['usdc', 'sol'], 'balance');
      const agent = sim.agent(at);
      await agent.signIn();
      // In this order whatever that of the members: equal balances have equal ids.
      for (const token of ['USDC', 'SOL'] as const) {
        const amount = checking[token === 'SOL' ? 'sol' : 'usdc'] ?? 0;
        if (amount <= 0) continue;
        const tx_signature = await agent.sendToTreasury(amount, token);
        if (blocks > 0 && sim.timeMode().kind === 'frozen') await sim.advance({ blocks });
        await agent.deposit({ amount, token, tx_signature });
      }
      return agent;
    });
  },
});
