import { scenario } from 'agent-bank-sim';

/** Interest of a collateral loan in base units: 8 % for a year of 31,536,000 seconds, rounded up. */
function interest(principalBase: bigint, seconds: bigint): bigint {
  const scale = 1_000_000n * 31_536_000n;
  return (principalBase * 80_000n * seconds + scale - 1n) / scale;
}

/** The largest debt that a principal secures: 0.7 of it, rounded down. */
function limit(principalBase: bigint): bigint {
  return (principalBase * 7n) / 10n;
}

const units = (base: bigint): number => Number(base) / 1e6;

export default scenario(
  'Limits are rounded down and interest is rounded up, for any savings and time',
  {
    description:
      'Compares odd amounts and times with the formula. No agent can borrow a base unit too much or owe one too little.',
    tags: ['collateral', 'amounts', 'script', 'collateral.ltv', 'collateral.apr'],
    world: { startTime: '2026-01-01T00:00:00Z', oracle: { usdc: 0 } },
  },
  async ({ agent, sim }) => {
    const cases: readonly [bigint, bigint][] = [
      [1_000_003n, 1n],
      [33_333_333n, 59n],
      [777_777_777n, 86_399n],
      [4_999_999_999n, 2_592_001n],
    ];
    for (const [index, [principal, seconds]] of cases.entries()) {
      const saver = await agent(`saver${index}`, { savings: { usdc: units(principal) } });
      const most = limit(principal);
      await saver.collateral.borrow(
        { amount: units(most + 1n) },
        { expect: { code: 'collateral_limit_exceeded', 'details.available_to_borrow': units(most) } },
      );
      await saver.collateral.borrow({ amount: units(most) }, { expect: { 'collateral.available': 0 } });
      await sim.time.advance(`${seconds}s`);
      await saver.account(
        {},
        {
          expect: { 'collateral.borrowed': units(most + interest(most, seconds)), 'collateral.available': 0 },
        },
      );
    }
  },
);
