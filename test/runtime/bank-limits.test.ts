import { describe, expect, it } from 'vitest';
import { BANK_LIMITS, type BankLimitName, PUBLISHED_LIMITS } from '../../src/core/domain/bank-limits.js';
import { InvalidOptions, resolveConfig } from '../../src/runtime/config.js';
import { agentWith, world } from '../support/world.js';

const NAMES = Object.keys(BANK_LIMITS) as BankLimitName[];

describe('limits of the bank', () => {
  it('are the published ones by default, and each can be set by itself', () => {
    expect(resolveConfig({}).bankLimits).toEqual(PUBLISHED_LIMITS);
    const { bankLimits, limits } = resolveConfig({ limits: { maxLtv: 0.5, forks: 3 } });
    expect(bankLimits).toEqual({ ...PUBLISHED_LIMITS, maxLtv: 0.5 });
    expect([limits.forks, 'maxLtv' in limits]).toEqual([3, false]);
  });

  it.each(NAMES)(
    '%s is refused outside of its range, with too many decimals, and unless it is a number',
    (name) => {
      const { least, most, decimals } = BANK_LIMITS[name];
      const finer = Number((least + 10 ** -(decimals + 1)).toFixed(decimals + 1));
      for (const value of [least - 1, most + 1, finer, Number.NaN, Infinity, `${least}`, null, 1n])
        expect(() => resolveConfig({ limits: { [name]: value } }), String(value)).toThrow(InvalidOptions);
      expect(() => resolveConfig({ limits: { [name]: otherValue(name) } })).not.toThrow();
    },
  );

  it('are refused when a minimum exceeds its maximum, named by the one that was given', () => {
    for (const [limits, text] of [
      [{ minLoanUsd: 20_000 }, 'limits.minLoanUsd: minLoanUsd (20000) must not exceed maxLoanUsd (10000)'],
      [{ maxApr: 0.1 }, 'limits.maxApr: minApr (0.18) must not exceed maxApr (0.1)'],
      [{ liquidationLtv: 0.5 }, 'maxLtv (0.7) must not exceed liquidationLtv (0.5)'],
      [{ maxLtv: 0.8, liquidationLtv: 0.75 }, 'maxLtv (0.8) must not exceed liquidationLtv (0.75)'],
    ] as const)
      expect(() => resolveConfig({ limits })).toThrow(text);
    expect(() => resolveConfig({ limits: { minLoanUsd: 50, maxLoanUsd: 50 } })).not.toThrow();
  });

  it('of a world are part of its state, and cannot be replaced by others', async () => {
    const sim = await world({ limits: { dailyWithdrawalUsd: 5, forks: 3 } });
    const published = await world();
    const state = await sim.exportState();
    await expect(world({ state, limits: { dailyWithdrawalUsd: 6 } })).rejects.toThrow(
      'limits.dailyWithdrawalUsd: the state file determines the limits of the bank',
    );
    const again = await world({ state, limits: { forks: 4 } });
    expect(again.config.bankLimits).toEqual({ ...PUBLISHED_LIMITS, dailyWithdrawalUsd: 5 });
    expect(again.config.limits.forks).toBe(4);
    await expect(published.importState(state)).rejects.toThrow('a different limits.dailyWithdrawalUsd');
    const agent = await agentWith(again, 0, { usdc: 100 });
    await expect(agent.withdraw({ amount: 6, token: 'USDC' })).rejects.toMatchObject({
      code: 'daily_limit_exceeded',
    });
  });
});

/** A value other than the published one that every limit may have beside the published others. */
function otherValue(name: BankLimitName): number {
  return { minLoanUsd: 50, maxLoanUsd: 20_000, minApr: 0.1, maxApr: 0.7 }[name as 'minApr'] ?? 1;
}
