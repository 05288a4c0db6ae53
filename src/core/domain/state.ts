import { List, Map as PMap } from 'immutable';
import type { Debt } from './debt.js';
import { type DailyWindow, EMPTY_WINDOW } from './daily-window.js';
import type { DueHeap } from './due.js';
import {
  ACCOUNT_NAMES,
  type AccountName,
  type LoanTerms,
  OWNED_ACCOUNTS,
  type OutflowKind,
  type OutflowTerms,
  type OwnedAccount,
} from './entry.js';
import type { PerToken, Token } from './money.js';
import { NO_SAVINGS, type SavingsPosition } from './savings.js';

/** Signed balances in base units, debit positive. */
export type Balances<A extends AccountName> = Readonly<Record<A, PerToken<bigint>>>;

export interface Agent {
  readonly wallet: string;
  readonly collectionAddress: string;
  readonly openedAtMs: number;
  readonly balances: Balances<OwnedAccount>;
  readonly savings: PerToken<SavingsPosition>;
  readonly collateralDebt: Debt | null;
  readonly daily: Readonly<Record<OutflowKind, DailyWindow>>;
  readonly identity: { readonly x: boolean; readonly github: boolean };
  readonly loanIds: List<string>;
  readonly repayment: { readonly onTime: number; readonly late: number; readonly defaulted: number };
  /** Entry numbers of the agent's history by filter: '' for all, a type, a token, or `type/token`. */
  readonly history: PMap<string, List<number>>;
}

/** The states of a loan, in order. */
export const LOAN_STATUSES = [
  'pending_review',
  'denied',
  'active',
  'overdue',
  'repaid',
  'defaulted',
] as const;

export type LoanStatus = (typeof LOAN_STATUSES)[number];

export interface Loan extends Omit<LoanTerms, 'status' | 'loanId'> {
  readonly id: string;
  readonly wallet: string;
  readonly status: LoanStatus;
  readonly createdAtMs: number;
  /** The number of its application's entry; orders loans of the same instant. */
  readonly createdSeq: number;
  readonly decidedAtMs: number | null;
  readonly reason: string | null;
  readonly dueAtMs: number | null;
  readonly debt: Debt | null;
  /** The worst status it has had; repayment does not reset it. */
  readonly record: 'clean' | 'overdue' | 'defaulted';
}

export interface Outflow {
  readonly id: number;
  readonly wallet: string;
  readonly terms: OutflowTerms;
  readonly atMs: number;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly signature: string | null;
  readonly reason: string | null;
}

/** Identifies a paid payment request, by all members that a payer cannot forge without paying; null without a request. */
export function requestKey({ requestId, payTo, token, amountBase }: OutflowTerms): string | null {
  return requestId === null ? null : `${requestId} ${payTo} ${token} ${amountBase}`;
}

/** The books at one instant: a fold of the journal's entries, made of values that are replaced on write. */
export interface State {
  /** Number of the last entry folded in. */
  readonly seq: number;
  readonly totals: Balances<AccountName>;
  readonly agents: PMap<string, Agent>;
  /** Collection address -> wallet of the customer. */
  readonly collections: PMap<string, string>;
  readonly loans: PMap<string, Loan>;
  readonly outflows: PMap<number, Outflow>;
  /** Outflows whose transaction is not known to be settled on chain. */
  readonly openOutflows: PMap<number, true>;
  /** Payment request -> the outflows that pay it, pending or completed, in their order; see `requestKey`. */
  readonly paidRequests: PMap<string, List<number>>;
  /** Signature -> number of the entry that recorded it; a transaction counts once, for one purpose. */
  readonly recorded: PMap<string, number>;
  /** Signature -> the outflow that it executed. */
  readonly settledBy: PMap<string, number>;
  readonly due: DueHeap;
  /** Whether a change of savings has scheduled their settlement with the lending protocol. */
  readonly settlementScheduled: boolean;
  /** Whether borrow and repay appear in histories (variant `historyTypes`). */
  readonly creditInHistory: boolean;
}

const NOTHING: PerToken<bigint> = { USDC: 0n, SOL: 0n };

function emptyBalances<A extends AccountName>(accounts: readonly A[]): Balances<A> {
  return Object.fromEntries(accounts.map((account) => [account, NOTHING])) as Balances<A>;
}

/** The books before the first entry. */
export function emptyState(options: { creditInHistory: boolean }): State {
  return {
    seq: 0,
    totals: emptyBalances(ACCOUNT_NAMES),
    agents: PMap(),
    collections: PMap(),
    loans: PMap(),
    outflows: PMap(),
    openOutflows: PMap(),
    paidRequests: PMap(),
    recorded: PMap(),
    settledBy: PMap(),
    due: null,
    settlementScheduled: false,
    creditInHistory: options.creditInHistory,
  };
}

const NO_OWNED_BALANCES = emptyBalances(OWNED_ACCOUNTS);

/** A customer that has just opened an account. */
export function newAgent(wallet: string, collectionAddress: string, openedAtMs: number): Agent {
  return {
    wallet,
    collectionAddress,
    openedAtMs,
    balances: NO_OWNED_BALANCES,
    savings: { USDC: NO_SAVINGS, SOL: NO_SAVINGS },
    collateralDebt: null,
    daily: { withdraw: EMPTY_WINDOW, x402: EMPTY_WINDOW },
    identity: { x: false, github: false },
    loanIds: List(),
    repayment: { onTime: 0, late: 0, defaulted: 0 },
    history: PMap(),
  };
}

/** A liability of the bank to the agent, as a positive amount. Base units. */
export function holding(agent: Agent, account: OwnedAccount, token: Token): bigint {
  return -agent.balances[account][token];
}

/** The loan with an id. Throws for an unknown id. */
export function loanOf({ loans }: State, id: string): Loan {
  const loan = loans.get(id);
  if (loan === undefined) throw new Error(`unknown loan ${id}`);
  return loan;
}

/** The outflow with a number. Throws for an unknown number. */
export function outflowOf({ outflows }: State, id: number): Outflow {
  const outflow = outflows.get(id);
  if (outflow === undefined) throw new Error(`unknown outflow ${id}`);
  return outflow;
}
