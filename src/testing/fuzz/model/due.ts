import { settleSavings } from './supply.js';
import type { Books } from './books.js';
import { loanDefaults, loanDue, reviewDue } from './credit.js';
import { assess, nextAssessmentMs } from './consequences.js';
import type { DueKind } from './schedule.js';
import { arrive, lookUpTransfers } from './in-flight.js';
import { carryOutQueued } from './transfers.js';

/** Processes everything due up to an instant, in order; at one instant collateral loans first. */
export function runDue(books: Books, untilMs: number): void {
  for (;;) {
    const assessmentMs = nextAssessmentMs(books);
    const event = books.schedule.take(Math.min(untilMs, assessmentMs - 1));
    if (event === null && assessmentMs > untilMs) return;
    books.nowMs = Math.max(books.nowMs, event?.atMs ?? assessmentMs);
    if (event === null) assess(books);
    else carryOut(books, event.what);
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
