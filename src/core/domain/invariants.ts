import { owed } from './debt.js';
import { ACCOUNTS, ACCOUNT_NAMES, OWNED_ACCOUNTS } from './entry.js';
import { TOKENS, type PerToken } from './money.js';
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

function* checkAgent(state: State, agent: Agent, terms: BankTerms): Generator<Violation> {
  const { wallet, balances, savings, collateralDebt: debt } = agent;
  for (const token of TOKENS) {
    for (const account of OWNED_ACCOUNTS) {
      const balance = balances[account][token];
      if (ACCOUNTS[account].side === 'credit' ? balance > 0n : balance < 0n)
        yield { rule: 'no negative balance', text: `${account} of ${wallet}: ${balance} ${token}` };
    }
    const { principalBase, bookedYieldBase } = savings[token];
    if (-balances.savings[token] !== principalBase || -balances.yield[token] !== bookedYieldBase)
      yield { rule: 'savings match the journal', text: `${wallet}, ${token}` };
    if (bookedYieldBase < 0n) yield { rule: 'yield is not negative', text: `${wallet}, ${token}` };
  }
  const [booked, principal] = [balances.collateral_loan.USDC, debt?.principalBase ?? 0n];
  if (booked !== principal) {
    const text = `${wallet}: ${booked} on the books, ${principal} owed`;
    yield { rule: 'collateral loans match the journal', text };
  }
  // Interest may raise a debt above the limit later; the principal may never exceed it.
  const saved = savings.USDC.principalBase;
  if (debt !== null && principal > collateralLimit(saved, terms))
    yield { rule: 'LTV', text: `${wallet} owes ${owed(debt, 0)} on ${saved} of savings` };
  const loans = loansOf(state, agent);
  const recorded = {
    onTime: loans.filter(({ status, record }) => status === 'repaid' && record === 'clean').length,
    late: loans.filter(({ status, record }) => status === 'repaid' && record === 'overdue').length,
    defaulted: loans.filter(({ record }) => record === 'defaulted').length,
  };
  for (const what of ['onTime', 'late', 'defaulted'] as const) {
    const counted = agent.repayment[what];
    if (counted === recorded[what]) continue;
    const text = `${wallet}: ${counted} counted as ${what}, ${recorded[what]} on the loans`;
    yield { rule: 'repayments match the loans', text };
  }
  const lent = loans.filter(isOpen).reduce((sum, loan) => sum + (loan.debt?.principalBase ?? 0n), 0n);
  if (balances.credit_line.USDC !== lent)
    yield { rule: 'credit lines match the journal', text: `${wallet}: ${lent}` };
}

function* checkTotals({ agents, totals, outflows, openOutflows }: State): Generator<Violation> {
  const everyone = [...agents.values()];
  for (const token of TOKENS) {
    for (const account of ACCOUNT_NAMES) {
      const total = totals[account][token];
      const { side } = ACCOUNTS[account];
      const isNegative = side !== 'either' && (side === 'credit' ? total > 0n : total < 0n);
      if (isNegative && account !== 'treasury')
        yield { rule: 'no negative balance', text: `${account}: ${total} ${token}` };
    }
    for (const account of OWNED_ACCOUNTS) {
      const total = totals[account][token];
      let sum = 0n;
      for (const { balances } of everyone) sum += balances[account][token];
      if (total !== sum) yield { rule: 'totals are sums', text: `${account}: ${total} ≠ ${sum} ${token}` };
    }
    const sum = ACCOUNT_NAMES.reduce((all, account) => all + totals[account][token], 0n);
    if (sum !== 0n) yield { rule: 'entries sum to zero', text: `${token}: ${sum}` };
    const pending = [...openOutflows.keys()]
      .map((id) => outflows.get(id))
      .reduce((all, outflow) => all + (outflow?.terms.token === token ? outflow.terms.amountBase : 0n), 0n);
    if (-totals.pending[token] !== pending)
      yield { rule: 'pending matches open outflows', text: `${token}: ${pending}` };
  }
}

/** Checks all rules that concern the books alone; an empty list when they hold. */
export function checkBooks(state: State, terms: BankTerms): Violation[] {
  const ofAgents = Array.from(state.agents.values(), (agent) => [...checkAgent(state, agent, terms)]);
  return [...ofAgents.flat(), ...checkTotals(state)];
}

function* checkHoldings({ totals, agents }: State, chain: ChainHoldings): Generator<Violation> {
  const rule = 'books = chain';
  for (const token of TOKENS) {
    const [books, held] = [totals.treasury[token], chain.treasury[token]];
    if (books !== held) yield { rule, text: `treasury ${token}: ${books} on the books, ${held} on chain` };
    for (const { wallet, balances } of agents.values()) {
      const booked = balances.collection[token];
      const there = chain.collections.get(wallet)?.[token] ?? 0n;
      if (booked !== there) yield { rule, text: `collection of ${wallet}, ${token}: ${booked} ≠ ${there}` };
    }
  }
}

/** Books = chain: each asset account on chain holds the balance in the journal. Call it with nothing in flight. */
export function checkChain(state: State, chain: ChainHoldings): Violation[] {
  return [...checkHoldings(state, chain)];
}
