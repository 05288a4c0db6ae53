import fc from 'fast-check';
import { isImmutable } from 'immutable';
import { describe, expect, it } from 'vitest';
import { apply, toEntry } from '../../../src/core/domain/apply.js';
import { DAY_MS } from '../../../src/core/domain/calendar.js';
import { splitPayment } from '../../../src/core/domain/debt.js';
import { type OutflowTerms, type Posting, credit, debit, draft } from '../../../src/core/domain/entry.js';
import { checkBooks, checkChain } from '../../../src/core/domain/invariants.js';
import { type Agent, type State, emptyState } from '../../../src/core/domain/state.js';
import { DomainBooks, PUBLISHED_TERMS } from '../../support/domain-books.js';
import { forAllOf } from '../../support/for-all.js';

const WALLETS = ['a', 'b', 'c'] as const;

/** Everything in a state, immutable collections too, as plain values that can be compared. */
function plain(value: unknown): unknown {
  if (isImmutable(value)) return plain(value.toJS());
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

/** Books that also send money and get loans repaid. */
class Books extends DomainBooks {
  send(wallet: string, amountBase: bigint, more: Partial<OutflowTerms> = {}): number {
    const terms: OutflowTerms = {
      type: 'withdraw',
      token: 'USDC',
      amountBase,
      recipient: 'x',
      payTo: 'x',
      usdMicro: amountBase,
      executeAtMs: null,
      serviceUrl: null,
      memo: null,
      requestId: null,
      ...more,
    };
    this.append(
      draft(wallet, { kind: 'outflow.pending', terms }, [
        debit('checking', wallet, 'USDC', amountBase),
        credit('pending', wallet, 'USDC', amountBase),
      ]),
    );
    return this.state.seq;
  }

  end(outflow: number, posted: boolean): void {
    const { wallet, terms } = this.state.outflows.get(outflow) ?? { wallet: 'a', terms: null };
    const amountBase = terms?.amountBase ?? 1n;
    const back: Posting = posted
      ? credit('treasury', null, 'USDC', amountBase)
      : credit('checking', wallet, 'USDC', amountBase);
    this.append(
      draft(
        wallet,
        posted
          ? { kind: 'outflow.posted', outflow, signature: `out-${outflow}`, recipient: null }
          : { kind: 'outflow.voided', outflow, reason: 'refused' },
        [debit('pending', wallet, 'USDC', amountBase), back],
      ),
    );
  }

  repay(loanId: string, amountBase: bigint): void {
    const { wallet, debt } = this.loan(loanId);
    if (debt === null) throw new Error('nothing to repay');
    const paid = splitPayment(debt, amountBase, this.nowMs);
    const { principalBase, interestBase } = paid;
    this.append(
      draft(wallet, { kind: 'loan.repaid', loanId, amountBase, ...paid, signature: null }, [
        debit('checking', wallet, 'USDC', interestBase + principalBase),
        credit('credit_line', wallet, 'USDC', principalBase),
        credit('interest_income', null, 'USDC', interestBase),
      ]),
    );
  }
}

function books(): Books {
  const made = new Books(...WALLETS);
  for (const wallet of WALLETS) made.deposit(wallet, 10_000_000_000n);
  return made;
}

describe('books', () => {
  it('rebuilds an equal state by replaying the journal from an empty one', () => {
    const step = fc.record({
      what: fc.constantFrom('deposit', 'save', 'send', 'post', 'void', 'borrow', 'repay', 'wait'),
      wallet: fc.constantFrom(...WALLETS),
      amount: fc.bigInt(1n, 2_000_000_000n),
    });
    forAllOf(40, fc.array(step, { maxLength: 40 }), (steps) => {
      const made = books();
      for (const { what, wallet, amount } of steps) {
        const held = -made.agent(wallet).balances.checking.USDC;
        const open = made.state.openOutflows.keySeq().first();
        const loan = made.state.loans.find((one) => one.wallet === wallet && one.status === 'active');
        if (what === 'deposit') made.deposit(wallet, amount);
        else if (what === 'wait') made.nowMs += Number(amount);
        else if (what === 'save' && held >= amount) made.save(wallet, amount);
        else if (what === 'send' && held >= amount) made.send(wallet, amount);
        else if (what === 'borrow') made.approve(made.apply(wallet, { amountBase: amount }));
        else if (what === 'repay' && loan !== undefined && held >= amount) made.repay(loan.id, amount);
        else if (open !== undefined && what === 'post') made.end(open, true);
        else if (open !== undefined && what === 'void') made.end(open, false);
      }
      expect(checkBooks(made.state, PUBLISHED_TERMS)).toEqual([]);
      let again = emptyState({ creditInHistory: true });
      for (let seq = 1; seq <= made.journal.size(); seq += 1) again = apply(again, made.journal.at(seq));
      expect(plain(again)).toEqual(plain(made.state));
    });
  });

  it('rejects an entry whose number does not follow, and the same entry twice', () => {
    const made = books();
    const next = toEntry(made.state, draft(null, { kind: 'bank.opened' }, []), 0);
    expect(() => apply(made.state, { ...next, seq: next.seq + 1 })).toThrow('does not follow');
    expect(() => apply(apply(made.state, next), next)).toThrow('does not follow');
  });

  it('rejects an overdraft of any owned account, and entries of an unknown customer or loan', () => {
    const made = books();
    expect(() => made.send('a', 10_000_000_001n)).toThrow('overdrawn');
    expect(() => made.save('a', 10_000_000_001n)).toThrow('overdrawn');
    expect(() => made.deposit('nobody', 1n)).toThrow('no customer');
    expect(() => made.miss('loan-x', 'loan.overdue')).toThrow();
    expect(() =>
      made.append(
        draft(null, { kind: 'bank.opened' }, [
          credit('credit_line', 'a', 'USDC', 1n),
          debit('capital', null, 'USDC', 1n),
        ]),
      ),
    ).toThrow('overdrawn');
    expect(checkBooks(made.state, PUBLISHED_TERMS)).toEqual([]);
  });

  it('settles an outflow once, as posted or as voided', () => {
    const made = books();
    const outflow = made.send('a', 5n);
    // A second outflow, so that the pending balance would cover settling the first one twice.
    made.send('a', 5n);
    expect(made.state.openOutflows.has(outflow)).toBe(true);
    made.end(outflow, true);
    expect(made.state.outflows.get(outflow)).toMatchObject({
      status: 'completed',
      signature: `out-${outflow}`,
    });
    expect(made.state.settledBy.get(`out-${outflow}`)).toBe(outflow);
    expect(() => made.end(outflow, true)).toThrow();
    expect(() => made.end(outflow, false)).toThrow();
    expect(() => made.end(99, false)).toThrow();
  });

  it('returns the daily allowance of a voided transfer to the limit of its own type', () => {
    const made = books();
    const withdrawal = made.send('a', 400n);
    made.send('a', 70n, { type: 'x402' });
    made.end(withdrawal, false);
    const { withdraw, x402 } = made.agent('a').daily;
    expect([withdraw.totalMicro, x402.totalMicro]).toEqual([0n, 70n]);
    expect(made.agent('a').balances.checking.USDC).toBe(-10_000_000_000n + 70n);
  });
});

it('loan entries keep a loan active while one base unit is owed', () => {
  const made = books();
  const id = made.apply('a');
  made.approve(id);
  made.nowMs += DAY_MS;
  made.repay(id, 1_000_999_999n);
  expect(made.loan(id)).toMatchObject({ status: 'active', debt: { principalBase: 1n } });
  made.repay(id, 1n);
  expect(made.loan(id).status).toBe('repaid');
});

describe('invariants', () => {
  it('report the rule that an inconsistent state violates', () => {
    const made = books();
    made.save('a', 100n);
    const agent = made.agent('a');
    const falsified = (patch: Partial<Agent>) => ({
      ...made.state,
      agents: made.state.agents.set('a', { ...agent, ...patch }),
    });
    const rules = (state: State) => [...new Set(checkBooks(state, PUBLISHED_TERMS).map(({ rule }) => rule))];
    const balances = { ...agent.balances, checking: { USDC: 1n, SOL: 0n } };
    expect(rules(falsified({ balances }))).toEqual(['no negative balance', 'totals are sums']);
    const savings = {
      ...agent.savings,
      USDC: { ...agent.savings.USDC, principalBase: 101n },
    };
    expect(rules(falsified({ savings }))).toEqual(['savings match the journal']);
    const negative = { ...agent.savings, USDC: { ...agent.savings.USDC, bookedYieldBase: -1n } };
    expect(checkBooks(falsified({ savings: negative }), PUBLISHED_TERMS)).toEqual(
      ['savings match the journal', 'yield is not negative'].map((rule) => ({ rule, text: 'a, USDC' })),
    );
    const collateralDebt = { principalBase: 71n, interestUnits: 0n, aprPpm: 0n, sinceSeconds: 0n };
    expect(rules(falsified({ collateralDebt }))).toEqual(['collateral loans match the journal', 'LTV']);
    const totals = { ...made.state.totals, capital: { USDC: 0n, SOL: 1n } };
    expect(rules({ ...made.state, totals })).toEqual(['entries sum to zero']);
    expect(rules({ ...made.state, openOutflows: made.state.openOutflows.set(1, true) })).toEqual([]);
  });

  it('compare the books with the chain for the treasury and each collection address', () => {
    const made = books();
    const treasury = { USDC: 30_000_000_000n, SOL: 0n };
    expect(checkChain(made.state, { treasury, collections: new Map() })).toEqual([]);
    const collections = new Map([['b', { USDC: 0n, SOL: 3n }]]);
    const found = checkChain(made.state, { treasury: { USDC: 1n, SOL: 0n }, collections });
    expect(found.map(({ text }) => text)).toEqual([
      'treasury USDC: 30000000000 on the books, 1 on chain',
      'collection of b, SOL: 0 ≠ 3',
    ]);
  });
});
