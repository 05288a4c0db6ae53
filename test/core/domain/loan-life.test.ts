import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeDue } from '../../../src/core/domain/apply.js';
import { DAY_MS } from '../../../src/core/domain/calendar.js';
import { evidenceOf } from '../../../src/core/domain/credit/score.js';
import { defaultsAtMs } from '../../../src/core/domain/credit/terms.js';
import type { Decision } from '../../../src/core/domain/decision.js';
import { credit, debit, draft } from '../../../src/core/domain/entry.js';
import { checkBooks } from '../../../src/core/domain/invariants.js';
import { loanDefault, loanDue } from '../../../src/core/domain/operations/age-loan.js';
import { callLoan } from '../../../src/core/domain/operations/call-loan.js';
import { cureLoan } from '../../../src/core/domain/operations/cure-loan.js';
import { payForLoan } from '../../../src/core/domain/operations/repay-loan.js';
import { reviewLoan } from '../../../src/core/domain/operations/review-loan.js';
import type { ChainReceipt, Env } from '../../../src/core/domain/ports.js';
import { type Result, ok } from '../../../src/core/domain/result.js';
import type { Agent, Loan } from '../../../src/core/domain/state.js';
import {
  DomainBooks,
  ENV,
  NOTHING_ON_CHAIN,
  START,
  receiptOf,
  PUBLISHED_TERMS,
} from '../../support/domain-books.js';
import { forAllOf } from '../../support/for-all.js';

/** A bank with one customer and one 30-day loan. */
class LoanScenario extends DomainBooks {
  constructor() {
    super('w');
    this.apply('w', { loanId: 'loan' });
    this.do(reviewLoan(this.state, { loanId: 'loan', approve: true, reason: null, onChain: null }, this.env));
    this.kinds.length = 0;
  }

  get env(): Env {
    return { ...ENV, nowMs: this.nowMs };
  }

  get ours(): Loan {
    return this.loan('loan');
  }

  get borrower(): Agent {
    return this.agent('w');
  }

  /** Appends the decision's draft. Returns the code of a refusal, or null. */
  do(decision: Result<Decision<unknown>>): string | null {
    if (!decision.ok) return decision.refusal.code;
    this.append(decision.value.draft);
    return null;
  }

  /** Does what the bank does when an operator makes a loan overdue or defaulted. */
  age(goal: 'overdue' | 'defaulted'): string | null {
    const refused = this.do(callLoan(this.state, { loanId: 'loan', goal, reason: null }, this.env));
    if (refused !== null) return refused;
    this.append(loanDue(this.state, 'loan', this.ours.dueAtMs as number));
    if (goal === 'defaulted') this.append(loanDefault(this.state, 'loan', defaultsAtMs(this.ours)));
    return null;
  }

  cure(forgive = false, dueAtMs: number | null = null): string | null {
    return this.do(cureLoan(this.state, { loanId: 'loan', dueAtMs, forgive, reason: null }, this.env));
  }

  /** A payment from an external wallet: arrives at the treasury, then counts towards the loan. */
  pay(amount: number, receipt: Partial<ChainReceipt> = {}): string | null {
    const amountBase = BigInt(Math.round(amount * 1e6));
    const signature = `s${this.state.seq}`;
    this.append(
      draft(null, { kind: 'chain.arrived', signature }, [
        debit('treasury', null, 'USDC', amountBase),
        credit('unclaimed', null, 'USDC', amountBase),
      ]),
    );
    const somebody = { senders: { USDC: 'somebody', SOL: 'somebody' }, paidByCaller: { USDC: 0n, SOL: 0n } };
    const seen = receiptOf(amountBase, { signature, ...somebody, ...receipt });
    const onChain = { signature, lookUp: () => ok(seen) };
    return this.do(payForLoan(this.state, { loanId: 'loan', amount, onChain }, this.env));
  }

  /** Advances time and runs the due events on the way. */
  wait(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = takeDue(this.state); next !== null; next = takeDue(this.state)) {
      const { atMs, task } = next.item;
      if (atMs > untilMs) break;
      this.state = next.rest;
      this.nowMs = atMs;
      if (task.kind === 'loan.due') this.append(loanDue(this.state, task.loanId, atMs));
      if (task.kind === 'loan.default') this.append(loanDefault(this.state, task.loanId, atMs));
    }
    this.nowMs = untilMs;
  }

  get late(): number {
    return evidenceOf(this.state, this.borrower, NOTHING_ON_CHAIN, this.env).late;
  }
}

describe('loan made overdue or defaulted by an operator', () => {
  it('defaults 30 days after it is made overdue, not at its original dates', () => {
    const scenario = new LoanScenario();
    scenario.wait(5 * DAY_MS);
    scenario.age('overdue');
    expect([scenario.kinds, scenario.late]).toEqual([['loan.called', 'loan.overdue'], 1]);
    scenario.wait(30 * DAY_MS - 1);
    expect(scenario.ours.status).toBe('overdue');
    scenario.wait(1);
    expect(scenario.ours.status).toBe('defaulted');
    scenario.wait(100 * DAY_MS);
    expect(scenario.kinds).toEqual(['loan.called', 'loan.overdue', 'loan.defaulted']);
  });

  it('keeps a due date that has passed', () => {
    const scenario = new LoanScenario();
    scenario.wait(31 * DAY_MS);
    expect(scenario.age('defaulted')).toBeNull();
    expect(scenario.ours).toMatchObject({ status: 'defaulted', dueAtMs: START + 30 * DAY_MS });
  });

  it('rejects a loan that has already reached the state, and an unknown loan', () => {
    const scenario = new LoanScenario();
    scenario.age('overdue');
    expect(scenario.age('overdue')).toBe('loan_not_active');
    scenario.age('defaulted');
    expect(scenario.age('defaulted')).toBe('loan_not_active');
    expect(
      callLoan(scenario.state, { loanId: 'none', goal: 'overdue', reason: null }, scenario.env),
    ).toMatchObject({
      refusal: { code: 'loan_not_found' },
    });
  });
});

describe('cured loan', () => {
  it('is not affected by its previous due and default dates', () => {
    const scenario = new LoanScenario();
    scenario.wait(DAY_MS);
    scenario.age('overdue');
    scenario.cure(false, START + 200 * DAY_MS);
    scenario.wait(150 * DAY_MS);
    expect(scenario.ours.status).toBe('active');
    scenario.age('overdue');
    scenario.wait(10 * DAY_MS);
    scenario.cure(false, scenario.nowMs + 5 * DAY_MS);
    // Overdue again five days before the default that the second late mark would have led to.
    scenario.wait(20 * DAY_MS);
    expect(scenario.ours.status).toBe('overdue');
    scenario.wait(15 * DAY_MS - 1);
    expect(scenario.ours.status).toBe('overdue');
    scenario.wait(1);
    expect(scenario.ours.status).toBe('defaulted');
  });

  it('keeps its missed payment on record and counts it once, unless forgiven', () => {
    for (const [goal, forgive, expected] of [
      ['overdue', false, { onTime: 0, late: 1, defaulted: 0 }],
      ['overdue', true, { onTime: 1, late: 0, defaulted: 0 }],
      ['defaulted', false, { onTime: 0, late: 0, defaulted: 1 }],
      ['defaulted', true, { onTime: 1, late: 0, defaulted: 0 }],
    ] as const) {
      const scenario = new LoanScenario();
      for (let times = 0; times < 2; times += 1) {
        scenario.age(goal);
        scenario.cure(forgive);
      }
      expect(scenario.late, `${goal} ${forgive}`).toBe(goal === 'overdue' && !forgive ? 1 : 0);
      expect(scenario.pay(2_000)).toBeNull();
      expect(scenario.ours.status).toBe('repaid');
      expect([scenario.borrower.repayment, scenario.late], `${goal} ${forgive}`).toEqual([
        expected,
        expected.late,
      ]);
    }
  });
});

describe('external loan payment', () => {
  it('counts from any sender, interest first, and credits the excess to checking', () => {
    const scenario = new LoanScenario();
    scenario.wait(10 * DAY_MS);
    // 36.5 % of 1000 over 10 of 365 days are 10.
    expect(scenario.pay(110)).toBeNull();
    expect(scenario.ours.debt).toMatchObject({ principalBase: 900_000_000n, interestUnits: 0n });
    expect(scenario.pay(1_000)).toBeNull();
    expect(scenario.ours.status).toBe('repaid');
    expect(scenario.borrower.balances.checking.USDC).toBe(-1_100_000_000n);
    expect(scenario.state.totals).toMatchObject({
      unclaimed: { USDC: 0n },
      treasury: { USDC: 1_110_000_000n },
    });
    expect(checkBooks(scenario.state, PUBLISHED_TERMS)).toEqual([]);
  });

  it('requires money that arrived in the stated amount and a loan that is owed', () => {
    const scenario = new LoanScenario();
    expect(scenario.pay(5, { received: { USDC: 0n, SOL: 0n } })).toBe('transaction_not_to_bank');
    expect(scenario.pay(5, { error: 'failed' })).toBe('transaction_failed');
    expect(scenario.pay(5, { received: { USDC: 4n, SOL: 0n } })).toBe('amount_mismatch');
    expect(scenario.pay(2_000)).toBeNull();
    expect(scenario.pay(5)).toBe('loan_not_active');
  });
});

it('loan under operator actions keeps the books consistent for any sequence of actions and ends with one outcome', () => {
  const step = fc.oneof(
    fc.record({
      what: fc.constantFrom('overdue', 'defaulted', 'cure', 'forgive', 'extend'),
      by: fc.nat(50),
    }),
    fc.record({ what: fc.constant('wait'), by: fc.nat(40) }),
    fc.record({ what: fc.constant('pay'), by: fc.integer({ min: 1, max: 600 }) }),
  );
  const seen = new Map<string, number>();
  forAllOf(300, fc.array(step, { maxLength: 25 }), (steps) => {
    const scenario = new LoanScenario();
    for (const { what, by } of steps) {
      if (what === 'overdue' || what === 'defaulted') scenario.age(what);
      else if (what === 'cure' || what === 'forgive') scenario.cure(what === 'forgive');
      else if (what === 'extend') scenario.cure(false, scenario.nowMs + by * DAY_MS);
      else if (what === 'wait') scenario.wait(by * DAY_MS);
      else scenario.pay(by);
      expect(checkBooks(scenario.state, PUBLISHED_TERMS)).toEqual([]);
      const { status, dueAtMs } = scenario.ours;
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status === 'active') expect(scenario.nowMs).toBeLessThan(dueAtMs as number);
      if (status === 'overdue') {
        expect(scenario.nowMs).toBeGreaterThanOrEqual(dueAtMs as number);
        expect(scenario.nowMs).toBeLessThan(defaultsAtMs(scenario.ours));
      }
    }
    const { onTime, late, defaulted } = scenario.borrower.repayment;
    expect(onTime + late + defaulted).toBeLessThanOrEqual(1);
    if (scenario.ours.status === 'repaid') expect(onTime + late + defaulted).toBe(1);
  });
  expect([...seen.keys()].toSorted()).toEqual(['active', 'defaulted', 'overdue', 'repaid']);
});
