import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, takeDue, toEntry } from '../../../src/core/domain/apply.js';
import { DAY_MS } from '../../../src/core/domain/calendar.js';
import { evidenceOf } from '../../../src/core/domain/credit/score.js';
import { defaultsAtMs } from '../../../src/core/domain/credit/terms.js';
import type { Decision } from '../../../src/core/domain/decision.js';
import { type EntryDraft, credit, debit, draft } from '../../../src/core/domain/entry.js';
import { checkBooks } from '../../../src/core/domain/invariants.js';
import { loanDefault, loanDue } from '../../../src/core/domain/operations/age-loan.js';
import { callLoan } from '../../../src/core/domain/operations/call-loan.js';
import { cureLoan } from '../../../src/core/domain/operations/cure-loan.js';
import { payForLoan } from '../../../src/core/domain/operations/repay-loan.js';
import { reviewLoan } from '../../../src/core/domain/operations/review-loan.js';
import type { ChainReceipt, Env } from '../../../src/core/domain/ports.js';
import type { Result } from '../../../src/core/domain/result.js';
import { type Agent, type Loan, type State, emptyState } from '../../../src/core/domain/state.js';
import { DEFAULT_VARIANTS } from '../../../src/core/domain/variants.js';

const START = Date.UTC(2026, 0, 1);
const LENT = 1_000_000_000n;

/** A bank with one customer and one loan of 30 days, and whatever is done to it. */
class Life {
  nowMs = START;
  state: State = emptyState({ creditInHistory: true });
  readonly kinds: string[] = [];

  constructor() {
    this.append(draft('w', { kind: 'customer.opened', collectionAddress: 'c' }, []));
    const terms = {
      kind: 'loan.applied',
      loanId: 'loan',
      amountBase: LENT,
      aprPpm: 365_000n,
      purpose: 'task',
      durationDays: 30,
      collateral: null,
      status: 'pending_review',
      scoreApproves: true,
      decideAtMs: null,
    } as const;
    this.append(draft('w', terms, []));
    this.do(reviewLoan(this.state, { loanId: 'loan', approve: true, reason: null }, this.env));
    this.kinds.length = 0;
  }

  get env(): Env {
    return {
      nowMs: this.nowMs,
      salt: 0,
      variants: DEFAULT_VARIANTS,
      treasury: 't',
      yieldIndex: () => 0n,
      priceE8: () => 0n,
      apyPpm: () => 0n,
      oracleIsOut: false,
      stalePrice: null,
      withdrawalDelayMs: 0,
      reviewTiming: () => ({ kind: 'manual' }),
    };
  }

  get loan(): Loan {
    return this.state.loans.get('loan') as Loan;
  }

  get agent(): Agent {
    return this.state.agents.get('w') as Agent;
  }

  append(entry: EntryDraft): void {
    this.state = apply(this.state, toEntry(this.state, entry, this.nowMs));
    this.kinds.push(entry.facts.kind);
  }

  /** Carries out what was decided; gives the code of a refusal, or null. */
  do(decision: Result<Decision<unknown>>): string | null {
    if (!decision.ok) return decision.refusal.code;
    this.append(decision.value.draft);
    return null;
  }

  /** What the bank does for an operator who makes a loan overdue or defaulted. */
  age(goal: 'overdue' | 'defaulted'): string | null {
    const refused = this.do(callLoan(this.state, { loanId: 'loan', goal, reason: null }, this.env));
    if (refused !== null) return refused;
    const due = loanDue(this.state, 'loan', this.loan.dueAtMs as number);
    if (due !== null) this.append(due);
    const defaulted = goal === 'defaulted' ? loanDefault(this.state, 'loan', defaultsAtMs(this.loan)) : null;
    if (defaulted !== null) this.append(defaulted);
    return null;
  }

  cure(forgive = false, dueAtMs: number | null = null): string | null {
    return this.do(cureLoan(this.state, { loanId: 'loan', dueAtMs, forgive, reason: null }, this.env));
  }

  /** A payment from outside: it arrives at the treasury, then counts. */
  pay(amount: number, receipt: Partial<ChainReceipt> = {}): string | null {
    const amountBase = BigInt(Math.round(amount * 1e6));
    const signature = `s${this.state.seq}`;
    this.append(
      draft(null, { kind: 'chain.arrived', signature }, [
        debit('treasury', null, 'USDC', amountBase),
        credit('unclaimed', null, 'USDC', amountBase),
      ]),
    );
    const nothing = { USDC: 0n, SOL: 0n };
    const seen: ChainReceipt = {
      signature,
      confirmed: true,
      error: null,
      received: { USDC: amountBase, SOL: 0n },
      usdcMint: 'usdc',
      otherMints: [],
      paidByCaller: nothing,
      senders: { USDC: 'somebody', SOL: 'somebody' },
      receivedByCaller: nothing,
      slot: 0,
      blockTimeSeconds: 0,
      ...receipt,
    };
    const onChain = { signature, receipt: seen };
    return this.do(payForLoan(this.state, { loanId: 'loan', amount, onChain }, this.env));
  }

  /** Time passes; what falls due on the way happens. */
  wait(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (let next = takeDue(this.state); next !== null; next = takeDue(this.state)) {
      const { atMs, task } = next.item;
      if (atMs > untilMs) break;
      this.state = next.rest;
      this.nowMs = atMs;
      const made =
        task.kind === 'loan.due'
          ? loanDue(this.state, task.loanId, atMs)
          : task.kind === 'loan.default'
            ? loanDefault(this.state, task.loanId, atMs)
            : null;
      if (made !== null) this.append(made);
    }
    this.nowMs = untilMs;
  }

  get late(): number {
    const chain = { lamports: 0n, totalTransactions: 0, firstSeenMs: null };
    return evidenceOf(this.state, this.agent, chain, this.env).late;
  }
}

describe('a loan that an operator makes overdue or defaulted', () => {
  it('is due now and has the entries that time would have given it', () => {
    const life = new Life();
    life.wait(5 * DAY_MS);
    expect(life.age('defaulted')).toBeNull();
    expect(life.kinds).toEqual(['loan.called', 'loan.overdue', 'loan.defaulted']);
    expect(life.loan).toMatchObject({
      status: 'defaulted',
      record: 'defaulted',
      dueAtMs: START + 5 * DAY_MS,
    });
    expect(life.agent.repayment).toEqual({ onTime: 0, late: 0, defaulted: 1 });
  });

  it('defaults by itself 30 days after it was made overdue, and not at its old dates', () => {
    const life = new Life();
    life.wait(5 * DAY_MS);
    life.age('overdue');
    expect([life.kinds, life.late]).toEqual([['loan.called', 'loan.overdue'], 1]);
    life.wait(30 * DAY_MS - 1);
    expect(life.loan.status).toBe('overdue');
    life.wait(1);
    expect(life.loan.status).toBe('defaulted');
    life.wait(100 * DAY_MS);
    expect(life.kinds).toEqual(['loan.called', 'loan.overdue', 'loan.defaulted']);
  });

  it('keeps a due date that has passed', () => {
    const life = new Life();
    life.wait(31 * DAY_MS);
    expect(life.age('defaulted')).toBeNull();
    expect(life.loan).toMatchObject({ status: 'defaulted', dueAtMs: START + 30 * DAY_MS });
  });

  it('must be one that can become that', () => {
    const life = new Life();
    life.age('overdue');
    expect(life.age('overdue')).toBe('loan_not_active');
    life.age('defaulted');
    expect(life.age('defaulted')).toBe('loan_not_active');
    expect(callLoan(life.state, { loanId: 'none', goal: 'overdue', reason: null }, life.env)).toMatchObject({
      refusal: { code: 'loan_not_found' },
    });
  });
});

describe('a loan that is cured', () => {
  it('is active until its new due date and owes what it owed, with no money moved', () => {
    const life = new Life();
    life.wait(70 * DAY_MS);
    expect(life.loan.status).toBe('defaulted');
    const before = { totals: life.state.totals, debt: life.loan.debt };
    expect(life.cure()).toBeNull();
    expect({ totals: life.state.totals, debt: life.loan.debt }).toEqual(before);
    expect(life.loan).toMatchObject({ status: 'active', dueAtMs: START + 100 * DAY_MS });
    life.wait(30 * DAY_MS - 1);
    expect(life.loan.status).toBe('active');
    life.wait(1);
    expect(life.loan.status).toBe('overdue');
  });

  it('is not made overdue or defaulted by the dates it had before', () => {
    const life = new Life();
    life.wait(DAY_MS);
    life.age('overdue');
    life.cure(false, START + 200 * DAY_MS);
    life.wait(150 * DAY_MS);
    expect(life.loan.status).toBe('active');
    life.age('overdue');
    life.wait(10 * DAY_MS);
    life.cure(false, life.nowMs + 5 * DAY_MS);
    // Overdue again five days before the default that the second miss would have led to.
    life.wait(20 * DAY_MS);
    expect(life.loan.status).toBe('overdue');
    life.wait(15 * DAY_MS - 1);
    expect(life.loan.status).toBe('overdue');
    life.wait(1);
    expect(life.loan.status).toBe('defaulted');
  });

  it('keeps its miss on record, and counts as late or defaulted once, unless it is forgiven', () => {
    for (const [goal, forgive, expected] of [
      ['overdue', false, { onTime: 0, late: 1, defaulted: 0 }],
      ['overdue', true, { onTime: 1, late: 0, defaulted: 0 }],
      ['defaulted', false, { onTime: 0, late: 0, defaulted: 1 }],
      ['defaulted', true, { onTime: 1, late: 0, defaulted: 0 }],
    ] as const) {
      const life = new Life();
      for (let times = 0; times < 2; times += 1) {
        life.age(goal);
        life.cure(forgive);
      }
      expect(life.late, `${goal} ${forgive}`).toBe(goal === 'overdue' && !forgive ? 1 : 0);
      expect(life.pay(2_000)).toBeNull();
      expect(life.loan.status).toBe('repaid');
      expect([life.agent.repayment, life.late], `${goal} ${forgive}`).toEqual([expected, expected.late]);
    }
  });

  it('must have been missed, and its new due date must lie ahead', () => {
    const life = new Life();
    expect(life.cure()).toBe('loan_not_active');
    life.age('overdue');
    expect([life.cure(false, life.nowMs), life.cure(false, life.nowMs - 1)]).toEqual([
      'invalid_request',
      'invalid_request',
    ]);
    expect(life.cure(false, life.nowMs + 1)).toBeNull();
    const nowhere = { loanId: 'none', dueAtMs: null, forgive: false, reason: null };
    expect(cureLoan(life.state, nowhere, life.env)).toMatchObject({ refusal: { code: 'loan_not_found' } });
  });
});

describe('a payment from outside', () => {
  it('counts whoever made it, interest first; what is too much goes to checking', () => {
    const life = new Life();
    life.wait(10 * DAY_MS);
    // 36.5 % of 1000 over 10 of 365 days are 10.
    expect(life.pay(110)).toBeNull();
    expect(life.loan.debt).toMatchObject({ principalBase: 900_000_000n, interestUnits: 0n });
    expect(life.pay(1_000)).toBeNull();
    expect(life.loan.status).toBe('repaid');
    expect(life.agent.balances.checking.USDC).toBe(-LENT - 100_000_000n);
    expect(life.state.totals).toMatchObject({ unclaimed: { USDC: 0n }, treasury: { USDC: 1_110_000_000n } });
    expect(checkBooks(life.state)).toEqual([]);
  });

  it('needs money that arrived, once, and a loan that is owed', () => {
    const life = new Life();
    expect(life.pay(5, { received: { USDC: 0n, SOL: 0n } })).toBe('transaction_not_to_bank');
    expect(life.pay(5, { error: 'failed' })).toBe('transaction_failed');
    expect(life.pay(5, { received: { USDC: 4n, SOL: 0n } })).toBe('amount_mismatch');
    expect(life.pay(2_000)).toBeNull();
    expect(life.pay(5)).toBe('loan_not_active');
  });
});

describe('the life of a loan under an operator', () => {
  it('keeps the books, whatever is done to it in whatever order, and ends as one outcome', () => {
    const step = fc.oneof(
      fc.record({
        what: fc.constantFrom('overdue', 'defaulted', 'cure', 'forgive', 'extend'),
        by: fc.nat(50),
      }),
      fc.record({ what: fc.constant('wait'), by: fc.nat(40) }),
      fc.record({ what: fc.constant('pay'), by: fc.integer({ min: 1, max: 600 }) }),
    );
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const life = new Life();
        for (const { what, by } of steps) {
          if (what === 'overdue' || what === 'defaulted') life.age(what);
          else if (what === 'cure' || what === 'forgive') life.cure(what === 'forgive');
          else if (what === 'extend') life.cure(false, life.nowMs + by * DAY_MS);
          else if (what === 'wait') life.wait(by * DAY_MS);
          else life.pay(by);
          expect(checkBooks(life.state)).toEqual([]);
          const { status, dueAtMs } = life.loan;
          seen.set(status, (seen.get(status) ?? 0) + 1);
          if (status === 'active') expect(life.nowMs).toBeLessThan(dueAtMs as number);
          if (status === 'overdue') {
            expect(life.nowMs).toBeGreaterThanOrEqual(dueAtMs as number);
            expect(life.nowMs).toBeLessThan(defaultsAtMs(life.loan));
          }
        }
        const { onTime, late, defaulted } = life.agent.repayment;
        expect(onTime + late + defaulted).toBeLessThanOrEqual(1);
        if (life.loan.status === 'repaid') expect(onTime + late + defaulted).toBe(1);
      }),
      { numRuns: 300 },
    );
    expect([...seen.keys()].toSorted()).toEqual(['active', 'defaulted', 'overdue', 'repaid']);
  });
});
