import { PUBLISHED_TERMS } from '../../../src/core/domain/bank-terms.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { YEAR_SECONDS } from '../../../src/core/domain/calendar.js';
import { collateralLimit } from '../../../src/core/domain/collateral.js';
import { type Evidence, scoreOf } from '../../../src/core/domain/credit/score.js';
import { interestOwed, lend, openDebt } from '../../../src/core/domain/debt.js';
import {
  Amount,
  DECIMALS,
  type Token,
  mulDiv,
  parseAmount,
  usdValueUp,
} from '../../../src/core/domain/money.js';
import { RAY } from '../../../src/core/domain/rates.js';
import { yieldShare } from '../../../src/core/domain/savings.js';

const token = fc.constantFrom<Token>('USDC', 'SOL');

describe('money', () => {
  it('tolerates floating-point noise of a sum, but not half a base unit', () => {
    expect(parseAmount(0.1 + 0.2, 'USDC')).toEqual({ ok: true, value: 300_000n });
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 9n), fc.bigInt(1n, 10n ** 9n), (a, b) => {
        const sum = Number(a) / 1e6 + Number(b) / 1e6;
        expect(parseAmount(sum, 'USDC')).toEqual({ ok: true, value: a + b });
        expect(parseAmount(Number(a) / 1e6 + 5e-7, 'USDC').ok).toBe(false);
      }),
    );
  });

  it('rejects anything but a finite number, and never throws', () => {
    const bad = [Infinity, null, true, [], {}, 1n, undefined];
    for (const value of bad) expect(parseAmount(value, 'USDC')).toMatchObject({ ok: false });
    fc.assert(fc.property(fc.double(), token, (value, name) => void parseAmount(value, name)));
  });

  it('converts an exact amount to the nearest double', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 24n), fc.constantFrom(6, 9), (units, decimals) => {
        expect(new Amount(units, decimals).toNumber()).toBe(Number(new Amount(units, decimals).toString()));
      }),
    );
  });

  it('rounds in the given direction, and rounds USD values up', () => {
    const amount = fc.bigInt(0n, 10n ** 20n);
    fc.assert(
      fc.property(amount, amount, fc.bigInt(1n, 10n ** 20n), (a, b, c) => {
        const [down, up] = [mulDiv(a, b, c, 'floor'), mulDiv(a, b, c, 'ceil')];
        expect(down * c <= a * b && a * b <= up * c && up - down <= 1n).toBe(true);
      }),
    );
    fc.assert(
      fc.property(token, amount, fc.bigInt(1n, 10n ** 14n), (name, units, price) => {
        const scale = 10n ** BigInt(DECIMALS[name] + 2);
        const value = usdValueUp(units, name, price);
        expect(value * scale >= units * price && (value - 1n) * scale < units * price).toBe(true);
      }),
    );
  });
});

describe('rounding', () => {
  it('limits collateral to 70 % of the savings, rounded down', () => {
    expect([0n, 1n, 2n, 3n, 10n].map((principal) => collateralLimit(principal, PUBLISHED_TERMS))).toEqual([
      0n,
      0n,
      1n,
      2n,
      7n,
    ]);
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n), (principal) => {
        const limit = collateralLimit(principal, PUBLISHED_TERMS);
        expect(limit * 10n <= principal * 7n && (limit + 1n) * 10n > principal * 7n).toBe(true);
      }),
    );
  });

  it('gives a partial withdrawal its share of the yield, rounded down', () => {
    const position = { principalBase: 3n, bookedYieldBase: 0n, valueRay: 5n * RAY, indexRay: RAY };
    expect([1n, 2n, 3n].map((part) => yieldShare(position, part, RAY))).toEqual([0n, 1n, 2n]);
  });
});

describe('debts', () => {
  const principal = fc.bigInt(1n, 10n ** 13n);

  it('accrue simple interest, actual/365 by the second, rounded up', () => {
    fc.assert(
      fc.property(principal, fc.bigInt(0n, 10n * YEAR_SECONDS), (amount, seconds) => {
        const debt = lend(openDebt(80_000n, 0), amount, 0);
        const exact = amount * 80_000n * seconds;
        const scale = 1_000_000n * YEAR_SECONDS;
        const interest = interestOwed(debt, Number(seconds) * 1_000);
        expect(interest * scale >= exact && (interest - 1n) * scale < exact).toBe(true);
      }),
    );
  });
});

describe('credit score', () => {
  const evidence: fc.Arbitrary<Evidence> = fc.record({
    lamports: fc.bigInt(0n, 10n ** 12n),
    totalTransactions: fc.nat(300),
    accountAgeDays: fc.nat(1_000),
    linkedX: fc.boolean(),
    linkedGithub: fc.boolean(),
    holdingsUsdMicro: fc.bigInt(0n, 10n ** 11n),
    tenureDays: fc.nat(400),
    repaidOnTime: fc.nat(8),
    late: fc.nat(5),
    defaulted: fc.nat(2),
  });

  it('stays within the published ranges, with a lower APR for a higher score', () => {
    fc.assert(
      fc.property(evidence, evidence, (one, other) => {
        const [a, b] = [scoreOf(one, PUBLISHED_TERMS), scoreOf(other, PUBLISHED_TERMS)];
        expect(a.score >= 0 && a.score <= 1_000).toBe(true);
        for (const subscore of Object.values(a.subscores))
          expect(subscore >= 0 && subscore <= 1_000).toBe(true);
        expect(a.htmMilli >= 700n && a.htmMilli <= 1_200n).toBe(true);
        expect(a.aprPpm >= 180_000n && a.aprPpm <= 650_000n).toBe(true);
        expect(a.creditLimitUsd === 0n || (a.creditLimitUsd >= 100n && a.creditLimitUsd <= 10_000n)).toBe(
          true,
        );
        expect(a.creditLimitUsd === 0n).toBe(a.decision === 'DENY');
        if (a.score > b.score) expect(a.aprPpm < b.aprPpm && a.creditLimitUsd >= b.creditLimitUsd).toBe(true);
      }),
    );
  });

  it('is never lowered by better evidence, nor raised by a missed payment', () => {
    const more = fc.record({ n: fc.nat(50), big: fc.bigInt(0n, 10n ** 10n) });
    fc.assert(
      fc.property(evidence, more, (before, { n, big }) => {
        const { score } = scoreOf(before, PUBLISHED_TERMS);
        const better: Partial<Evidence>[] = [
          { lamports: before.lamports + big },
          { totalTransactions: before.totalTransactions + n },
          { accountAgeDays: before.accountAgeDays + n },
          { linkedX: true },
          { linkedGithub: true },
          { holdingsUsdMicro: before.holdingsUsdMicro + big },
          { tenureDays: before.tenureDays + n },
          { repaidOnTime: before.repaidOnTime + 1 },
        ];
        for (const change of better)
          expect(scoreOf({ ...before, ...change }, PUBLISHED_TERMS).score).toBeGreaterThanOrEqual(score);
        expect(scoreOf({ ...before, late: before.late + 1 }, PUBLISHED_TERMS).score).toBeLessThanOrEqual(
          score,
        );
        expect(
          scoreOf({ ...before, defaulted: before.defaulted + 1 }, PUBLISHED_TERMS).score,
        ).toBeLessThanOrEqual(score);
      }),
    );
  });
});
