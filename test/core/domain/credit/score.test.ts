import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../src/core/domain/calendar.js';
import {
  type Evidence,
  accountAgeDays,
  evidenceOf,
  scoreOf,
} from '../../../../src/core/domain/credit/score.js';
import type { Env } from '../../../../src/core/domain/ports.js';
import type { Agent } from '../../../../src/core/domain/state.js';
import { DomainBooks, ENV, NOTHING_ON_CHAIN, PUBLISHED_TERMS } from '../../../support/domain-books.js';
import { forAll } from '../../../support/for-all.js';

const NOTHING: Evidence = {
  lamports: 0n,
  totalTransactions: 0,
  accountAgeDays: 0,
  linkedX: false,
  linkedGithub: false,
  holdingsUsdMicro: 0n,
  tenureDays: 0,
  repaidOnTime: 0,
  late: 0,
  defaulted: 0,
};
const EVERYTHING: Evidence = {
  lamports: 10n ** 18n,
  totalTransactions: 10 ** 9,
  accountAgeDays: 10 ** 6,
  linkedX: true,
  linkedGithub: true,
  holdingsUsdMicro: 10n ** 18n,
  tenureDays: 10 ** 6,
  repaidOnTime: 10 ** 6,
  late: 0,
  defaulted: 0,
};

describe('best credit score', () => {
  it('is 1000, with the full limit at the lowest APR', () => {
    expect(scoreOf(EVERYTHING, PUBLISHED_TERMS)).toMatchObject({
      score: 1_000,
      riskCategory: 'Low',
      pdBand: '0-3%',
      htmMilli: 1_200n,
      creditLimitUsd: 10_000n,
      aprPpm: 180_000n,
      decision: 'APPROVE',
    });
  });

  it('falls to 200 after one default; the worst evidence scores 40', () => {
    expect(scoreOf({ ...EVERYTHING, defaulted: 1 }, PUBLISHED_TERMS)).toMatchObject({
      score: 200,
      decision: 'DENY',
    });
    expect(scoreOf({ ...NOTHING, late: 9, defaulted: 9 }, PUBLISHED_TERMS)).toMatchObject({
      score: 40,
      subscores: { repayment: 0 },
    });
  });
});

describe('credit decision, band and limit', () => {
  const evidence = fc.record({
    lamports: fc.bigInt(0n, 12n * 10n ** 9n),
    totalTransactions: fc.nat(120),
    accountAgeDays: fc.nat(400),
    linkedX: fc.boolean(),
    linkedGithub: fc.boolean(),
    holdingsUsdMicro: fc.bigInt(0n, 6n * 10n ** 9n),
    tenureDays: fc.nat(200),
    repaidOnTime: fc.nat(6),
    late: fc.nat(3),
    defaulted: fc.constantFrom(0, 0, 0, 1),
  });

  it('depend only on the score', () => {
    const order = ['High', 'Elevated', 'Medium', 'Low'];
    forAll(evidence, (some) => {
      const { score, riskCategory, decision, creditLimitUsd, pdBand } = scoreOf(some, PUBLISHED_TERMS);
      const bands = [250, 500, 750].filter((from) => score >= from).length;
      expect(riskCategory).toBe(order[bands]);
      expect(pdBand).toBe(['15-30%', '7-15%', '3-7%', '0-3%'][bands]);
      expect(decision).toBe(score < 250 ? 'DENY' : score < 600 ? 'APPROVE_WITH_CONDITIONS' : 'APPROVE');
      expect(creditLimitUsd >= 100n).toBe(decision !== 'DENY');
    });
  });

  it('switch from DENY to APPROVE_WITH_CONDITIONS at exactly 250', () => {
    const lowest = {
      score: 250,
      decision: 'APPROVE_WITH_CONDITIONS',
      riskCategory: 'Elevated',
      creditLimitUsd: 100n,
    };
    expect(scoreOf({ ...NOTHING, repaidOnTime: 2 }, PUBLISHED_TERMS)).toMatchObject(lowest);
    const almost = scoreOf({ ...NOTHING, repaidOnTime: 1, accountAgeDays: 145 }, PUBLISHED_TERMS);
    expect(almost).toMatchObject({ score: 249, decision: 'DENY', riskCategory: 'High', creditLimitUsd: 0n });
  });

  it('stay within the published ranges, with a lower APR for a higher score', () => {
    forAll(evidence, evidence, (one, other) => {
      const [a, b] = [scoreOf(one, PUBLISHED_TERMS), scoreOf(other, PUBLISHED_TERMS)];
      expect(a.score >= 0 && a.score <= 1_000).toBe(true);
      for (const subscore of Object.values(a.subscores))
        expect(subscore >= 0 && subscore <= 1_000).toBe(true);
      expect(a.htmMilli >= 700n && a.htmMilli <= 1_200n).toBe(true);
      expect(a.aprPpm >= 180_000n && a.aprPpm <= 650_000n).toBe(true);
      expect(a.creditLimitUsd === 0n || (a.creditLimitUsd >= 100n && a.creditLimitUsd <= 10_000n)).toBe(true);
      expect(a.creditLimitUsd === 0n).toBe(a.decision === 'DENY');
      if (a.score > b.score) expect(a.aprPpm < b.aprPpm && a.creditLimitUsd >= b.creditLimitUsd).toBe(true);
    });
  });

  it('are never worse for better evidence, nor better for a missed payment, of which a default weighs more', () => {
    const more = fc.record({ n: fc.nat(50), big: fc.bigInt(0n, 10n ** 10n) });
    forAll(evidence, more, (before, { n, big }) => {
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
      const late = scoreOf({ ...before, late: before.late + 1 }, PUBLISHED_TERMS);
      const defaulted = scoreOf({ ...before, defaulted: before.defaulted + 1 }, PUBLISHED_TERMS);
      expect(late.score).toBeLessThanOrEqual(score);
      // An overdue loan becomes a default.
      expect(defaulted.score).toBeLessThanOrEqual(late.score);
    });
  });
});

describe('credit evidence', () => {
  const env: Env = {
    ...ENV,
    nowMs: 10 * DAY_MS + 5,
    priceE8: (token) => (token === 'USDC' ? 100_000_000n : 15_000_000_000n),
  };

  it('counts whole days of wallet age and tenure', () => {
    const books = new DomainBooks();
    books.nowMs = DAY_MS;
    books.open('a');
    const chain = { lamports: 5n, totalTransactions: 2, firstSeenMs: 6 };
    expect(evidenceOf(books.state, books.agent('a'), chain, env)).toEqual({
      ...NOTHING,
      lamports: 5n,
      totalTransactions: 2,
      accountAgeDays: 9,
      tenureDays: 9,
    });
    expect(accountAgeDays({ ...chain, firstSeenMs: null }, env.nowMs)).toBeNull();
    expect(accountAgeDays({ ...chain, firstSeenMs: env.nowMs + 1 }, env.nowMs)).toBe(0);
  });

  it('deducts debts from holdings, with interest and down to zero, at any price', () => {
    const { state } = new DomainBooks('a');
    const agent = state.agents.get('a') as Agent;
    const amount = fc.bigInt(0n, 10n ** 10n);
    const price = fc.bigInt(1n, 10n ** 9n);
    forAll(amount, amount, fc.bigInt(0n, 10n ** 12n), price, (own, lent, interestUnits, usdcE8) => {
      const worth = (checking: bigint, collateralDebt: Agent['collateralDebt']) => {
        const balances = { ...agent.balances, checking: { USDC: -checking, SOL: 0n } };
        const at = { ...env, priceE8: () => usdcE8 };
        const changed = { ...agent, balances, collateralDebt };
        return evidenceOf(state, changed, NOTHING_ON_CHAIN, at).holdingsUsdMicro;
      };
      const debt = { principalBase: lent, interestUnits, aprPpm: 80_000n, sinceSeconds: 0n };
      expect(worth(own + lent, debt) <= worth(own, null)).toBe(true);
      expect(worth(own, debt) >= 0n).toBe(true);
    });
  });
});
