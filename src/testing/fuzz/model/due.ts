import { settleSavings } from './supply.js';
import type { Books } from './books.js';
import { loanDefaults, loanDue, reviewDue } from './credit.js';
import { arrive, lookUpTransfers } from './in-flight.js';
import { carryOutQueued } from './transfers.js';

/** Processes everything due up to an instant, in order. */
export function runDue(books: Books, untilMs: number): void {
  for (let event = books.schedule.take(untilMs); event !== null; event = books.schedule.take(untilMs)) {
    books.nowMs = Math.max(books.nowMs, event.atMs);
    const { what } = event;
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
}
