import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_LIMITS } from '../../../src/core/domain/bank-limits.js';
import { bankTerms } from '../../../src/core/domain/bank-terms.js';
import { DAY_MS } from '../../../src/core/domain/calendar.js';
import { type Debt, owed } from '../../../src/core/domain/debt.js';
import { credit, debit, draft } from '../../../src/core/domain/entry.js';
import { checkBooks } from '../../../src/core/domain/invariants.js';
import { lateFee, setOff } from '../../../src/core/domain/operations/age-loan.js';
import { liquidate } from '../../../src/core/domain/operations/liquidate.js';
import { RAY } from '../../../src/core/domain/rates.js';
import { yieldAt } from '../../../src/core/domain/savings.js';
import { type Agent, holding } from '../../../src/core/domain/state.js';
import { DomainBooks, START } from '../../support/domain-books.js';
import { forAll, forAllOf } from '../../support/for-all.js';

const share = fc.integer({ min: 0, max: 1_000_000 }).map((ppm) => ppm / 1_000_000);

/** Books of one customer with savings and a collateral loan on them. */
function borrowed(savedBase: bigint, lentBase: bigint, aprPpm: bigint): DomainBooks {
  const books = new DomainBooks('w');
  books.deposit('w', savedBase);
  books.save('w', savedBase);
  books.append(
    draft('w', { kind: 'collateral.borrow', amountBase: lentBase, aprPpm }, [
      debit('collateral_loan', 'w', 'USDC', lentBase),
      credit('checking', 'w', 'USDC', lentBase),
    ]),
  );
  return books;
}

/** Books of one customer with a loan that is overdue or has defaulted, and so much in checking beside it. */
function missed(
  lentBase: bigint,
  checkingBase: bigint,
  kind: 'loan.overdue' | 'loan.defaulted',
): DomainBooks {
  const books = new DomainBooks('w');
  books.apply('w', { loanId: 'loan', amountBase: lentBase, aprPpm: 400_000n });
  books.approve('loan', START + DAY_MS);
  if (checkingBase > 0n) books.deposit('w', checkingBase);
  // The loan has been spent.
  books.append(
    draft('w', { kind: 'bank.opened' }, [
      debit('checking', 'w', 'USDC', lentBase),
      credit('capital', null, 'USDC', lentBase),
    ]),
  );
  books.miss('loan', kind);
  return books;
}

describe('a liquidation', () => {
  const cases = fc.record({
    savings: fc.bigInt(1n, 10n ** 15n),
    used: share,
    aprPpm: fc.bigInt(0n, 10_000_000n),
    days: fc.integer({ min: 0, max: 4_000 }),
    growthPpm: fc.bigInt(0n, 2_000_000n),
    maxLtv: fc.integer({ min: 1, max: 1_000_000 }).map((ppm) => ppm / 1_000_000),
    above: share,
    liquidationPenalty: share,
  });

  it('happens exactly above its share, closes the loan, and takes no more than debt, penalty and savings', () => {
    forAllOf(500, cases, ({ savings, used, aprPpm, days, growthPpm, maxLtv, above, liquidationPenalty }) => {
      const liquidationLtv = Math.round((maxLtv + (1 - maxLtv) * above) * 1e6) / 1e6;
      const terms = bankTerms({ ...PUBLISHED_LIMITS, maxLtv, liquidationLtv, liquidationPenalty });
      const lentBase =
        (((savings * terms.ltvPpm) / 1_000_000n) * BigInt(Math.round(used * 1e6))) / 1_000_000n;
      fc.pre(lentBase > 0n);
      const books = borrowed(savings, lentBase, aprPpm);
      const nowMs = START + days * DAY_MS;
      const indexRay = RAY + (RAY * growthPpm) / 1_000_000n;
      const before = books.agent('w');
      const debtBase = owed(before.collateralDebt as Debt, nowMs);
      const yieldBase = yieldAt(before.savings.USDC, indexRay);
      const made = liquidate(before, { nowMs, terms, yieldIndex: () => indexRay });
      const exceeds = debtBase * 1_000_000n > (terms.liquidationPpm as bigint) * (savings + yieldBase);
      expect(made !== null).toBe(exceeds);
      if (made?.facts.kind !== 'collateral.liquidated') return;
      books.nowMs = nowMs;
      books.append(made);
      const agent = books.agent('w');
      expect(checkBooks(books.state, terms)).toEqual([]);
      expect(agent.collateralDebt).toBeNull();
      const { principalBase, interestBase, penaltyBase } = made.facts;
      const paidBase = principalBase + interestBase + penaltyBase;
      expect(principalBase).toBe(lentBase);
      const penalty = (debtBase * terms.liquidationPenaltyPpm + 999_999n) / 1_000_000n;
      expect(paidBase <= debtBase + penalty && interestBase >= 0n && penaltyBase >= 0n).toBe(true);
      const worth = (of: Agent) =>
        holding(of, 'checking', 'USDC') + of.savings.USDC.principalBase + yieldAt(of.savings.USDC, indexRay);
      // The last principal takes fractions of a base unit of yield with it.
      const lostBase = worth(before) - worth(agent) - paidBase;
      expect(lostBase >= 0n && lostBase <= 1n).toBe(true);
      if (paidBase < debtBase + penalty) expect(agent.savings.USDC.principalBase).toBe(0n);
    });
  });
});

describe('a missed credit line', () => {
  const base = fc.bigInt(1n, 10n ** 13n);

  it('owes the late fee more, rounded up, and the bank has earned it', () => {
    forAll(base, share, fc.integer({ min: 0, max: 10 ** 9 }), (lentBase, lateFeeRate, microUsd) => {
      const terms = bankTerms({ ...PUBLISHED_LIMITS, lateFeeRate, lateFeeUsd: microUsd / 1e6 });
      const books = missed(lentBase, 0n, 'loan.overdue');
      const nowMs = START + DAY_MS;
      const before = owed(books.loan('loan').debt as Debt, nowMs);
      books.nowMs = nowMs;
      books.append(lateFee(books.state, 'loan', { atMs: nowMs, terms }));
      const feeBase = owed(books.loan('loan').debt as Debt, nowMs) - before;
      const exact = before * BigInt(Math.round(lateFeeRate * 1e6)) + BigInt(microUsd) * 1_000_000n;
      expect(feeBase * 1_000_000n >= exact && (feeBase - 1n) * 1_000_000n < exact).toBe(true);
      expect(-books.state.totals.interest_income.USDC).toBe(feeBase);
      expect(checkBooks(books.state, terms)).toEqual([]);
    });
  });

  it('is set off against its share of checking, rounded down, and against no more than is owed', () => {
    forAll(base, fc.bigInt(0n, 10n ** 13n), share, (lentBase, checkingBase, setOffShare) => {
      const terms = bankTerms({ ...PUBLISHED_LIMITS, setOffShare });
      const books = missed(lentBase, checkingBase, 'loan.defaulted');
      const nowMs = START + 31 * DAY_MS;
      const before = owed(books.loan('loan').debt as Debt, nowMs);
      books.nowMs = nowMs;
      books.append(setOff(books.state, 'loan', { atMs: nowMs, terms }));
      const takenBase = checkingBase - holding(books.agent('w'), 'checking', 'USDC');
      const most = (checkingBase * BigInt(Math.round(setOffShare * 1e6))) / 1_000_000n;
      expect(takenBase).toBe(most < before ? most : before);
      expect(owed(books.loan('loan').debt as Debt, nowMs)).toBe(before - takenBase);
      expect(books.loan('loan').status).toBe(takenBase === before ? 'repaid' : 'defaulted');
      expect(checkBooks(books.state, terms)).toEqual([]);
    });
  });
});
