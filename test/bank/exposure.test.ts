import { describe, expect, it } from 'vitest';
import type { AgentClient } from '../../src/sdk/client/client.js';
import { ENGINES, worldWithAgent } from '../support/world.js';

const LIMITS = { openApplications: 10 };

async function apply(agent: AgentClient, amount: number): Promise<string> {
  return (await agent.applyForLoan({ amount, purpose: 'task' })).application.id;
}

describe.each(ENGINES)('credit exposure on %s', (engine) => {
  it.each(['auto', 'delay:2h'])(
    'stays within the credit limit when the policy %s decides',
    async (review) => {
      const { sim, agent } = await worldWithAgent({ engine, limits: LIMITS, variants: { review } });
      const { maxAmount } = await agent.eligibility();
      expect(maxAmount).toBe(628);
      for (let count = 0; count < 10; count += 1) await apply(agent, maxAmount);
      await sim.advance('2h');
      const { loans } = await agent.loans();
      expect(loans.filter(({ status }) => status === 'active')).toHaveLength(1);
      expect(loans.filter(({ status }) => status === 'denied')).toHaveLength(9);
      expect((await agent.eligibility()).maxAmount).toBe(0);
    },
  );

  it('depends on score, interest and approvals as they are at the decision', async () => {
    const { sim, agent } = await worldWithAgent({ engine, variants: { review: 'delay:365d' } });
    const first = await apply(agent, 500);
    await apply(agent, 1_300);
    await apply(agent, 1_100);
    await sim.reviews.approve(first);
    await sim.advance({ until: 'loan.due' });
    await sim.reviews.cure(first, { dueIn: '2y', forgive: true });
    await sim.advance('340d');
    // Half a year as a customer makes the limit 1,948; 500 and a year's interest of 256.85 are owed.
    expect((await agent.loans()).loans.map(({ status }) => status)).toEqual(['active', 'denied', 'active']);
  });
});
