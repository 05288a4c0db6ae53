import { expect, it } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { kept } from '../persistence/durable/support.js';
import { dumpOf } from '../support/dump.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { from } from '../persistence/state-file/support.js';
import { agentWith, world } from '../support/world.js';

/** Applies for credit and returns the code of a refusal, or the status of the application. */
async function applied(sim: Simulator, at: number): Promise<string> {
  const agent = await agentWith(sim, at);
  const refused = (error: { code?: string }) => error.code ?? 'no code';
  return agent
    .applyForLoan({ amount: 100, purpose: 'task' })
    .then(({ application }) => application.status, refused);
}

const LIMITS = { loanApplications: 2 };

it('concurrent loan applications are accepted up to the limit', async () => {
  const sim = await world({ limits: LIMITS });
  const agents = await Promise.all([0, 1, 2, 3].map((at) => agentWith(sim, at)));
  const told = await Promise.allSettled(
    agents.map((agent) => agent.applyForLoan({ amount: 100, purpose: 'task' })),
  );
  expect(told.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
});

it('a state or data folder with more loan applications than the limit loads, and new ones are refused', async () => {
  const sim = await world();
  for (let count = 0; count < 3; count += 1) await applied(sim, 0);
  const limited = await from(await sim.exportState(), { limits: LIMITS });
  expect(limited.reviews.list()).toHaveLength(3);
  expect(await dumpOf(limited)).toBe(await dumpOf(sim));
  expect(await applied(limited, 1)).toBe('loan_applications_full');

  const dataDir = temporaryFolder();
  const first = await kept(dataDir);
  for (let count = 0; count < 3; count += 1) await applied(first, 0);
  await first.close();
  const again = await kept(dataDir, { limits: LIMITS });
  expect(again.reviews.list()).toHaveLength(3);
  expect(await applied(again, 1)).toBe('loan_applications_full');
});
