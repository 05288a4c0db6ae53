import type { Bank } from '../bank/bank.js';
import { CustomersApi } from '../runtime/customers-api.js';
import type { EmbeddedChain } from '../runtime/embedded-chain.js';
import type { EventLog } from '../runtime/events/log.js';
import type { ChainApi } from '../runtime/chain-api.js';
import type { JournalApi } from '../runtime/journal-api.js';
import type { LoanDesk } from '../runtime/loan-desk.js';
import { PaymentFacts } from '../runtime/payment-facts.js';
import { SeriesApi } from '../runtime/series-api.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';

interface ReadWorld {
  readonly bank: Bank;
  readonly books: JournalApi;
  readonly reviews: LoanDesk;
  readonly events: EventLog;
  readonly chain: ChainApi;
}

/** What reads a world and changes nothing in it. */
export interface Readers {
  readonly customers: CustomersApi;
  readonly series: SeriesApi;
  readonly payments: PaymentFacts;
}

/** Creates what reads a world; `embedded` is null on a cluster. */
export function readersOf(
  { bank, books, reviews, events, chain }: ReadWorld,
  { embedded, clock, oracle }: { embedded: EmbeddedChain | null; clock: Clock; oracle: Oracle },
): Readers {
  return {
    customers: new CustomersApi({ bank, books, reviews, events, chain, embedded }),
    series: new SeriesApi({ bank, index: books.pages.index, oracle, clock, events }),
    payments: new PaymentFacts(bank, { hasChain: embedded !== null }),
  };
}
