// @module-tag slow
import { expect, it } from 'vitest';
import { type CampaignInput, type Rule, campaign } from '../../../src/testing/fuzz-library.js';
import { MISHAPS } from '../../../src/testing/fuzz/world.js';

/** The treasury loses its money, and finds more in savings and at collection addresses. */
const SHORT = {
  drain: 40,
  withdraw: 60,
  x402Pay: 60,
  savingsDeposit: 25,
  savingsWithdraw: 15,
  send: 20,
  deposit: 20,
  'time.advance': 40,
};

const CAMPAIGNS: readonly (readonly [string, CampaignInput])[] = [
  ['outflows', { runs: 120, weights: SHORT }],
  ['queued withdrawals', { runs: 60, weights: SHORT, variants: { withdrawals: 'queued' } }],
  ['overlapping outflows', { runs: 40, property: 'races', weights: { ...SHORT, overlap: 120 } }],
];

it.each(CAMPAIGNS)(
  'a campaign finds no failure in %s of a treasury that loses its money, with every fault',
  { timeout: 240_000 },
  async (_what, input) => {
    const met = new Set<unknown>();
    const meets: Rule = (_runner, { with: { mishap } }) => {
      met.add(mishap);
      return null;
    };
    const { found, outcomes } = await campaign({ seed: 61, ...input, rules: [meets] });
    expect(found?.failure ?? null).toBeNull();
    expect(Object.keys(MISHAPS).filter((mishap) => !met.has(mishap))).toEqual([]);
    expect(outcomes['drain ok']).toBeGreaterThan(20);
  },
);
