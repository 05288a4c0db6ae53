import { owed } from './debt.js';
import { ACCOUNTS, ACCOUNT_NAMES, OWNED_ACCOUNTS } from './entry.js';
import { TOKENS, type PerToken, type Token } from './money.js';
import { collateralLimit } from './collateral.js';
import type { BankTerms } from './bank-terms.js';
import type { Agent, State } from './state.js';
import { isOpen, loansOf } from './credit/terms.js';

/** A violated rule, described with numbers. */
export interface Violation {
  readonly rule: string;
  readonly text: string;
}

/** The on-chain holdings of the bank's addresses, in base units. */
export interface ChainHoldings {
  readonly treasury: PerToken<bigint>;
  /** By the wallet of the customer who owns the collection address; only addresses that hold something. */
  readonly collections: ReadonlyMap<string, PerToken<bigint>>;
}

function check(found: Violation[], holds: boolean, rule: string, text: () => string): void {
  if (!holds) found.push({ rule, text: text() });
}

function checkAgent(found: Violation[], state: State, agent: Agent, terms: BankTerms): void {
  const { wallet, balances, savings } = agent;
  for (const token of TOKENS) {
    for (const account of OWNED_ACCOUNTS) {
      const balance = balances[account][token];
      const sound = ACCOUNTS[account].side === 'credit' ? balance <= 0n : balance >= 0n;
      check(found, sound, 'no negative balance', () => `${account} of ${wallet}: ${balance} ${token}`);
    }
    const position = savings[token];
    const booked = -balances.savings[token] === position.principalBase;
    const yieldBooked = -balances.yield[token] === position.bookedYieldBase;
    check(found, booked && yieldBooked, 'savings match the journal', () => `${wallet}, ${token}`);
    check(found, position.bookedYieldBase >= 0n, 'yield is not negative', () => `${wallet}, ${token}`);
  }
  const debt = agent.collateralDebt;
  check(
    found,
    balances.collateral_loan.USDC === (debt?.principalBase ?? 0n),
    'collateral loans match the journal',
    () => `${wallet}: ${balances.collateral_loan.USDC} on the books, ${debt?.principalBase ?? 0n} owed`,
  );
  // Interest may raise a debt above the limit later; the principal may never exceed it.
  check(
    found,
    debt === null || debt.principalBase <= collateralLimit(savings.USDC.principalBase, terms),
    'LTV',
    () => `${wallet} owes ${debt === null ? 0n : owed(debt, 0)} on ${savings.USDC.principalBase} of savings`,
  );
  const loans = loansOf(state, agent);
  const recorded = {
    onTime: loans.filter(({ status, record }) => status === 'repaid' && record === 'clean').length,
    late: loans.filter(({ status, record }) => status === 'repaid' && record === 'overdue').length,
    defaulted: loans.filter(({ record }) => record === 'defaulted').length,
  };
  for (const what of ['onTime', 'late', 'defaulted'] as const) {
    const counted = agent.repayment[what];
    check(
      found,
      counted === recorded[what],
      'repayments match the loans',
      () => `${wallet}: ${counted} counted as ${what}, ${recorded[what]} on the loans`,
    );
  }
  const lent = loans.filter(isOpen).reduce((sum, loan) => sum + (loan.debt?.principalBase ?? 0n), 0n);
  check(
    found,
    balances.credit_line.USDC === lent,
    'credit lines match the journal',
    () => `${wallet}: ${lent}`,
  );
}

/** Checks all rules that concern the books alone; an empty list when they hold. */
export function checkBooks(state: State, terms: BankTerms): Violation[] {
  const found: Violation[] = [];
  const sums: Record<Token, bigint> = { USDC: 0n, SOL: 0n };
  const owned = new Map(OWNED_ACCOUNTS.map((account) => [account, { USDC: 0n, SOL: 0n }]));
  for (const agent of state.agents.values()) {
    checkAgent(found, state, agent, terms);
    for (const account of OWNED_ACCOUNTS) {
      const sum = owned.get(account) as Record<Token, bigint>;
      for (const token of TOKENS) sum[token] += agent.balances[account][token];
    }
  }
  for (const token of TOKENS) {
    for (const account of ACCOUNT_NAMES) {
      const total = state.totals[account][token];
      sums[token] += total;
      const side = ACCOUNTS[account].side;
      const sound = side === 'either' || (side === 'credit' ? total <= 0n : total >= 0n);
      check(
        found,
        sound || account === 'treasury',
        'no negative balance',
        () => `${account}: ${total} ${token}`,
      );
    }
    for (const [account, sum] of owned) {
      const total = state.totals[account][token];
      check(
        found,
        total === sum[token],
        'totals are sums',
        () => `${account}: ${total} ≠ ${sum[token]} ${token}`,
      );
    }
    check(found, sums[token] === 0n, 'entries sum to zero', () => `${token}: ${sums[token]}`);
    const pending = [...state.openOutflows.keys()]
      .map((id) => state.outflows.get(id))
      .reduce((sum, outflow) => sum + (outflow?.terms.token === token ? outflow.terms.amountBase : 0n), 0n);
    check(
      found,
      -state.totals.pending[token] === pending,
      'pending matches open outflows',
      () => `${token}: ${pending}`,
    );
  }
  return found;
}

/** Books = chain: each asset account on chain holds the balance in the journal. Call it with nothing in flight. */
export function checkChain(state: State, chain: ChainHoldings): Violation[] {
  const found: Violation[] = [];
  for (const token of TOKENS) {
    const books = state.totals.treasury[token];
    const held = chain.treasury[token];
    check(
      found,
      books === held,
      'books = chain',
      () => `treasury ${token}: ${books} on the books, ${held} on chain`,
    );
    for (const agent of state.agents.values()) {
      const booked = agent.balances.collection[token];
      const there = chain.collections.get(agent.wallet)?.[token] ?? 0n;
      check(
        found,
        booked === there,
        'books = chain',
        () => `collection of ${agent.wallet}, ${token}: ${booked} ≠ ${there}`,
      );
    }
  }
  return found;
}
