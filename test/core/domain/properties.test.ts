import { PUBLISHED_TERMS } from '../../../src/core/domain/bank-terms.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, toEntry } from '../../../src/core/domain/apply.js';
import { YEAR_SECONDS } from '../../../src/core/domain/calendar.js';
import { collateralLimit } from '../../../src/core/domain/collateral.js';
import { type Evidence, scoreOf } from '../../../src/core/domain/credit/score.js';
import {
  accrue,
  interestOwed,
  lend,
  openDebt,
  owed,
  settle,
  splitPayment,
} from '../../../src/core/domain/debt.js';
import { credit, debit, draft } from '../../../src/core/domain/entry.js';
import { uuid } from '../../../src/core/domain/ids.js';
import { checkBooks } from '../../../src/core/domain/invariants.js';
import {
  Amount,
  DECIMALS,
  type Token,
  mulDiv,
  parseAmount,
  usdValueUp,
} from '../../../src/core/domain/money.js';
import { Growth, RAY } from '../../../src/core/domain/rates.js';
import {
  NO_SAVINGS,
  addSavings,
  removeSavings,
  yieldAt,
  yieldShare,
} from '../../../src/core/domain/savings.js';
import { emptyState } from '../../../src/core/domain/state.js';

const token = fc.constantFrom<Token>('USDC', 'SOL');
const DAY = 86_400_000;

describe('money', () => {
  it('parses every decimal up to 10^15 base units exactly', () => {
    fc.assert(
      fc.property(token, fc.bigInt(1n, 10n ** 15n), (name, units) => {
        const parsed = parseAmount(new Amount(units, DECIMALS[name]).toNumber(), name);
        expect(parsed).toEqual({ ok: true, value: units });
      }),
    );
  });

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

  it('rejects anything but a positive finite number of base units, and never throws', () => {
    const bad = [
      0,
      -0,
      -1,
      Number.NaN,
      Infinity,
      1e-7,
      1.0000001,
      1.1e12,
      '1',
      null,
      true,
      [],
      {},
      1n,
      undefined,
    ];
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

describe('savings growth', () => {
  it('yields exactly the APY in a year, and compounds over years', () => {
    for (const ppm of [1n, 17_000n, 50_000n, 52_000n, 1_000_000n, 9_999_999n]) {
      expect(new Growth(ppm).over(RAY, YEAR_SECONDS)).toBe((RAY * (1_000_000n + ppm)) / 1_000_000n);
    }
    expect(new Growth(50_000n).over(RAY, 2n * YEAR_SECONDS)).toBe((RAY * 11_025n) / 10_000n);
    expect(new Growth(0n).over(RAY, 10n ** 9n)).toBe(RAY);
  });

  it('agrees with floating point, never shrinks, and loses under 10^-15 when split', () => {
    const seconds = fc.bigInt(0n, 10n * YEAR_SECONDS);
    fc.assert(
      fc.property(fc.bigInt(0n, 500_000n), seconds, seconds, (ppm, a, b) => {
        const growth = new Growth(ppm);
        const whole = growth.over(RAY, a + b);
        const exact = (1 + Number(ppm) / 1e6) ** (Number(a + b) / Number(YEAR_SECONDS));
        expect(Number(whole) / Number(RAY)).toBeCloseTo(exact, 9);
        const split = growth.over(growth.over(RAY, a), b);
        expect(split <= whole && whole - split < 10n ** 12n).toBe(true);
        expect(whole >= growth.over(RAY, a)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('never pays more than exact accounting, for any sequence of moves', () => {
    const move = fc.tuple(fc.boolean(), fc.bigInt(1n, 10n ** 12n), fc.bigInt(0n, 3_000_000n));
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const growth = new Growth(80_000n);
        let [position, indexRay, put, got] = [NO_SAVINGS, RAY, 0n, 0n];
        let exact = 0; // what exact accounting would hold
        for (const [isDeposit, amount, seconds] of moves) {
          const next = growth.over(indexRay, seconds);
          exact *= Number(next) / Number(indexRay);
          indexRay = next;
          if (isDeposit) {
            position = addSavings(position, amount, indexRay);
            put += amount;
            exact += Number(amount);
          } else if (position.principalBase > 0n) {
            const part = amount < position.principalBase ? amount : position.principalBase;
            const paid = part + yieldShare(position, part, indexRay);
            position = removeSavings(position, part, indexRay);
            got += paid;
            exact -= Number(paid);
          }
          const earned = yieldAt(position, indexRay);
          expect(earned >= 0n && earned >= position.bookedYieldBase).toBe(true);
          expect(Number(position.principalBase + earned)).toBeLessThanOrEqual(exact + 1e-9 * Number(put) + 1);
        }
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

  it('pay interest before principal, take no more than is owed, and cost no less in parts', () => {
    const part = fc.tuple(fc.bigInt(1n, 10n ** 12n), fc.integer({ min: 0, max: 90 }));
    fc.assert(
      fc.property(principal, fc.array(part, { minLength: 1, maxLength: 12 }), (amount, parts) => {
        let debt = lend(openDebt(400_000n, 0), amount, 0);
        let [now, interestPaid, exact] = [0, 0n, 0n];
        for (const [payment, days] of parts) {
          exact += debt.principalBase * 400_000n * BigInt(days) * 86_400n;
          now += days * DAY;
          const due = interestOwed(debt, now);
          const paid = splitPayment(debt, payment, now);
          expect(paid.interest + paid.principal <= payment && paid.interest <= due).toBe(true);
          if (paid.principal > 0n) expect(paid.interest).toBe(due);
          debt = settle(debt, paid, now);
          interestPaid += paid.interest;
        }
        expect((interestPaid + interestOwed(debt, now)) * 1_000_000n * YEAR_SECONDS >= exact).toBe(true);
        expect(owed(accrue(debt, now), now)).toBe(owed(debt, now));
      }),
    );
  });
});

describe('journal', () => {
  it('rejects an entry that does not sum to zero per token or has a wrong owner', () => {
    const facts = { kind: 'bank.opened' } as const;
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 18n), fc.bigInt(1n, 10n ** 18n), (a, b) => {
        fc.pre(a !== b);
        const postings = [debit('treasury', null, 'USDC', a), credit('capital', null, 'USDC', b)];
        expect(() => draft(null, facts, postings)).toThrow('does not balance');
        const crossed = [debit('treasury', null, 'USDC', a), credit('capital', null, 'SOL', a)];
        expect(() => draft(null, facts, crossed)).toThrow('does not balance');
      }),
    );
    expect(() =>
      draft(null, facts, [debit('checking', null, 'SOL', 1n), credit('capital', null, 'SOL', 1n)]),
    ).toThrow('owner');
  });

  it('folds entries: sums postings, keeps the old state, enforces order and rejects overdrafts', () => {
    const step = fc.tuple(
      fc.constantFrom('in', 'out'),
      token,
      fc.bigInt(1n, 10n ** 12n),
      fc.constantFrom('a', 'b'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = emptyState({ creditInHistory: true });
        const append = (made: ReturnType<typeof draft>) => {
          const before = state;
          const totals = before.totals;
          state = apply(before, toEntry(before, made, 0));
          expect(before.totals).toBe(totals);
          expect(() => apply(state, toEntry(before, made, 0))).toThrow('does not follow');
        };
        for (const wallet of ['a', 'b']) {
          append(draft(wallet, { kind: 'customer.opened', collectionAddress: `c-${wallet}` }, []));
        }
        for (const [way, name, amount, wallet] of steps) {
          const facts = { kind: 'fees.paid', signature: 's' } as const;
          const [from, to] =
            way === 'in' ? (['capital', 'checking'] as const) : (['checking', 'capital'] as const);
          const owner = (account: string) => (account === 'checking' ? wallet : null);
          const made = draft(null, facts, [
            debit(from, owner(from), name, amount),
            credit(to, owner(to), name, amount),
          ]);
          const held = -(state.agents.get(wallet)?.balances.checking[name] ?? 0n);
          if (way === 'out' && held < amount) {
            expect(() => apply(state, toEntry(state, made, 0))).toThrow('overdrawn');
          } else append(made);
        }
        expect(checkBooks(state, PUBLISHED_TERMS)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('generates ids without collisions', { tags: ['slow'] }, () => {
    const ids = new Set(
      Array.from({ length: 200_000 }, (_, n) => uuid(7, n % 2 === 0 ? 'entry' : 'payment', n)),
    );
    expect(ids.size).toBe(200_000);
    expect([...ids][0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
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
