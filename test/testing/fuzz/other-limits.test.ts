// @module-tag slow
import { expect, it } from 'vitest';
import { resolveConfig } from '../../../src/runtime/config.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import { drawnLimits } from '../../../src/testing/fuzz/campaign/drawn-limits.js';
import { type FuzzLimits, campaign } from '../../../src/testing/fuzz-library.js';
import { exported, playedTroubles } from './export-support.js';
import { replayedIn, theFind } from './hunt.js';
import { type Lie, lyingFuzzed, lyingInProcess } from './lying.js';

const SETS: readonly Partial<FuzzLimits>[] = [
  { dailyWithdrawalUsd: 3.5, dailyPaymentUsd: 0, maxLtv: 0.123457 },
  { minLoanUsd: 1, maxLoanUsd: 7, minApr: 0, maxApr: 3.333333, collateralApr: 9.999999 },
  { liquidationLtv: 0.7, liquidationPenalty: 0.1, collateralApr: 10 },
  { lateFeeUsd: 3, lateFeeRate: 0.123457, setOffShare: 0.333333, minLoanUsd: 1 },
  { maxLtv: 1, tokenSeconds: 7, challengeSeconds: 1, requestSeconds: 1, historyRows: 3 },
];

it.each(SETS)('the model agrees with a bank of other limits: %j', async (limits) => {
  const { found, runs } = await campaign({ seed: 3, runs: 16, limits });
  expect(found).toBeNull();
  expect(runs).toBe(16);
});

it('the model agrees with few keys and applications over HTTP', async () => {
  const limits = { idempotencyKeys: 2, loanApplications: 2, openApplications: 2 };
  const more = { transport: 'http', weights: { loanApply: 30 } } as const;
  const { found, outcomes } = await campaign({ seed: 3, runs: 40, limits, ...more });
  expect(found).toBeNull();
  const refused = (code: string) => Object.keys(outcomes).filter((what) => what.endsWith(` ${code}`)).length;
  expect(refused('idempotency_keys_full')).toBeGreaterThan(5);
  expect(refused('loan_applications_full')).toBe(1);
});

it('drawn limits are valid, keep what is given, and are the same for a seed and a number', () => {
  const given = { minLoanUsd: 5_000, minApr: 0.5 };
  for (let number = 0; number < 150; number += 1) {
    expect(() => resolveConfig({ limits: drawnLimits({ seed: 1, number }) })).not.toThrow();
    const limits = drawnLimits({ seed: 1, number }, given);
    expect(() => resolveConfig({ limits })).not.toThrow();
    const liquidated = drawnLimits({ seed: 1, number }, { liquidationLtv: 0.75 });
    expect(() => resolveConfig({ limits: liquidated })).not.toThrow();
    expect(limits).toMatchObject(given);
    expect(drawnLimits({ seed: 1, number }, given)).toEqual(limits);
  }
});

it('the model agrees with banks of drawn limits', async () => {
  const { found, runs } = await campaign({ seed: 5, runs: 150, steps: 24, variesLimits: true });
  expect(found).toBeNull();
  expect(runs).toBe(150);
});

it('a counterexample under drawn limits contains those of its run, as a file and as a scenario', async () => {
  const lie: Lie = (text) => text.replace('"ltv_ratio":0.333333', '"ltv_ratio":0.7');
  const target = lyingFuzzed(lie);
  // The first runs under a limit of a third.
  const file = await theFind(target, { variesLimits: true, path: 250, runs: 550 });
  expect(file.world.limits).toMatchObject({ maxLtv: 0.333333 });
  expect((await replayedIn(target, file))?.kind).toBe(file.failure.kind);
  expect(await replayedIn(inProcessFuzz, file)).toBeNull();
  const text = await exported(file, { target });
  expect(await playedTroubles(text, { target: lyingInProcess(lie) }), text).not.toEqual([]);
  expect(await playedTroubles(text), text).toEqual([]);
});
