import type { Books } from './books.js';
import { assess, nextAssessmentMs } from './consequences.js';
import { loanDefaults, loanDue, reviewDue } from './credit.js';
import { arrive, lookUpTransfers } from './in-flight.js';
import type { DueKind } from './schedule.js';
import { settleSavings } from './supply.js';
import { carryOutQueued } from './transfers.js';

/** Processes everything due up to an instant, in order; at one instant first what arrives, then collateral loans. */
export function runDue(books: Books, untilMs: number): void {
  for (;;) {
    const assessmentMs = nextAssessmentMs(books);
    const { next } = books.schedule;
    const isEvent =
      next !== null &&
      (next.atMs < assessmentMs || (next.atMs === assessmentMs && next.what.kind === 'arrival'));
    const atMs = isEvent ? next.atMs : assessmentMs;
    if (atMs > untilMs) return;
    books.nowMs = Math.max(books.nowMs, atMs);
    if (isEvent) {
      books.schedule.dropNext();
      carryOut(books, next.what);
    } else assess(books);
  }
}

function carryOut(books: Books, what: DueKind): void {
  switch (what.kind) {
    case 'arrival':
      arrive(books);
      lookUpTransfers(books);
      break;
    case 'settlement':
      settleSavings(books);
      break;
    case 'withdrawal':
      carryOutQueued(books, what.wallet, what.record);
      break;
    case 'review':
      reviewDue(books, what.wallet, what.loan);
      break;
    case 'due':
      loanDue(books, what.wallet, what.loan);
      break;
    case 'default':
      loanDefaults(books, what.wallet, what.loan);
      break;
  }
}
