import { isoOf } from '../calendar.js';
import { isOpen, loansOf, outstanding } from '../credit/terms.js';
import { customer } from '../inputs.js';
import { amountOf } from '../money.js';
import type { Env } from '../ports.js';
import type { Loan, State } from '../state.js';
import { decimalRate } from '../views.js';

export function loanView(loan: Loan, env: Env) {
  return {
    id: loan.id,
    status: loan.status,
    principal: amountOf('USDC', loan.amountBase),
    outstanding: amountOf('USDC', outstanding(loan, env.nowMs)),
    apr: decimalRate(loan.aprPpm),
    purpose: loan.purpose,
    createdAt: isoOf(loan.createdAtMs),
    duration: loan.durationDays,
    dueDate: loan.dueAtMs === null ? null : isoOf(loan.dueAtMs),
  };
}

/** All loans and applications of an agent, newest first, and the next payment due (with interest up to the due date). */
export function loans(state: State, wallet: string, env: Env) {
  const all = loansOf(state, customer(state, wallet)).toReversed();
  const open = all.filter(isOpen);
  const next = open
    .map((loan) => ({ loan, dueAtMs: loan.dueAtMs as number }))
    .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
    .at(0);
  return {
    loans: all.map((loan) => loanView(loan, env)),
    summary: {
      totalLoans: all.length,
      totalActive: open.length,
      totalOutstanding: amountOf(
        'USDC',
        open.reduce((sum, loan) => sum + outstanding(loan, env.nowMs), 0n),
      ),
      nextPayment:
        next === undefined
          ? null
          : {
              loanId: next.loan.id,
              amount: amountOf('USDC', outstanding(next.loan, Math.max(env.nowMs, next.dueAtMs))),
              dueDate: isoOf(next.dueAtMs),
            },
    },
  };
}
