import type { Bank } from '../bank/bank.js';
import type { Chain } from '../chain/chain.js';
import type { EventLog } from '../runtime/events/log.js';

/** Connects the event log to the books and to the in-process chain; `chain` is null on a cluster. */
export function connectEventLog(events: EventLog, bank: Bank, chain: Chain | null): void {
  bank.books.onAppend((entry, cause) => events.append({ kind: 'entry', entry }, cause.requestId, entry.atMs));
  chain?.listen({
    changed: (_touched, record, cause) => {
      if (record !== null) events.append({ kind: 'transaction', record }, cause.requestId);
    },
    restored: () => undefined,
  });
}
