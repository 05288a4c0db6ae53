import { iso, units } from './amounts.js';
import { loanId } from './checks.js';
import type { Tree } from './compare.js';
import { type Debt, owedBase } from './debt.js';
import type { StandingLoan } from './types.js';

/** A credit line or an application for one, immutable. Source: docs/reference/fidelity.md, Credit lines. */
export interface Loan {
  /** Null until a response contains it. */
  readonly id: string | null;
  readonly wallet: string;
  /** Index among the agent's loans, oldest first. */
  readonly index: number;
  readonly status: StandingLoan['status'];
  readonly amountBase: bigint;
  readonly purpose: string;
  readonly durationDays: number;
  readonly createdAtMs: number;
  readonly aprPpm: bigint;
  /** Zero before approval. */
  readonly debt: Debt;
  readonly dueAtMs: number | null;
  /** The worst delinquency so far that was not forgiven. */
  readonly missed: 'nothing' | 'due' | 'default';
  /** The reason of the review's decision, as the operator sees it. */
  readonly reason: Tree;
}

export function isOpen({ status }: Pick<Loan, 'status'>): boolean {
  return status === 'active' || status === 'overdue' || status === 'defaulted';
}

/** Principal and interest owed at an instant; 0 for a loan that is not open. */
export function outstandingBase(loan: Loan, nowMs: number): bigint {
  return isOpen(loan) ? owedBase(loan.debt, nowMs) : 0n;
}

/** Principal and interest of all credit lines of an agent. */
export function creditOwedBase(loans: readonly Loan[], nowMs: number): bigint {
  return loans.reduce((sum, loan) => sum + outstandingBase(loan, nowMs), 0n);
}

export function loanTold(loan: Loan, nowMs: number): Tree {
  return {
    id: loanId(loan),
    status: loan.status,
    principal: units('USDC', loan.amountBase),
    outstanding: units('USDC', outstandingBase(loan, nowMs)),
    apr: units('USDC', loan.aprPpm),
    purpose: loan.purpose,
    createdAt: iso(loan.createdAtMs),
    duration: loan.durationDays,
    dueDate: loan.dueAtMs === null ? null : iso(loan.dueAtMs),
  };
}

/** The loan list with its summary. Takes loans oldest first and lists them newest first. */
export function loansTold(loans: readonly Loan[], nowMs: number): Tree {
  const newestFirst = loans.toReversed();
  const open = newestFirst.filter(isOpen);
  const next = open.toSorted((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))[0];
  return {
    loans: newestFirst.map((loan) => loanTold(loan, nowMs)),
    summary: {
      totalLoans: loans.length,
      totalActive: open.length,
      totalOutstanding: units('USDC', creditOwedBase(loans, nowMs)),
      nextPayment: next === undefined ? null : nextPayment(next, nowMs),
    },
  };
}

/** The amount includes interest up to the due date, or up to now if that has passed. */
function nextPayment(loan: Loan, nowMs: number): Tree {
  const dueAtMs = loan.dueAtMs ?? nowMs;
  const amountBase = owedBase(loan.debt, Math.max(dueAtMs, nowMs));
  return { loanId: loanId(loan), amount: units('USDC', amountBase), dueDate: iso(dueAtMs) };
}

/** Finds a loan of an agent by id, a text; null if it does not exist or no response has contained it yet. */
export function loanById<T extends Pick<Loan, 'id'>>(
  { loans }: { readonly loans: readonly T[] },
  id: unknown,
): T | null {
  return loans.findLast((loan) => loan.id === id) ?? null;
}

/** Decides applications that the score does not deny: a person, or the score immediately. Delays are not modelled. */
export const REVIEW_POLICIES = ['manual', 'auto'] as const;
export type ReviewPolicy = (typeof REVIEW_POLICIES)[number];

/** Reads a policy. Throws RangeError for one that is not modelled. Source: docs/reference/fidelity.md, Variants of the description. */
export function reviewPolicy(value: unknown): ReviewPolicy {
  const known = REVIEW_POLICIES.find((policy) => policy === value);
  if (known === undefined)
    throw new RangeError(
      `the model knows the review policies ${REVIEW_POLICIES.join(' and ')}, and not ${JSON.stringify(value)}`,
    );
  return known;
}
