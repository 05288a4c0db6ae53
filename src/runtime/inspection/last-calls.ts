import { isoOf } from '../../core/domain/calendar.js';
import type { EventLog } from '../events/log.js';

/** The last call of a wallet to the API. */
export interface LastCall {
  readonly event: number;
  readonly requestId: string | null;
  readonly at: string;
  readonly operation: string | null;
  readonly status: number | null;
  readonly code: string | number | null;
}

/** The last call of each wallet, read from the event log on demand: calls that the log no longer has are unknown. */
export class LastCalls {
  readonly #events: EventLog;
  readonly #byWallet = new Map<string, LastCall>();
  #read = 0;

  constructor(events: EventLog) {
    this.#events = events;
  }

  /** Reads the events that are new since the last read; returns the number of the last event. */
  refresh(): number {
    const { last, oldest } = this.#events;
    for (let seq = Math.max(this.#read + 1, oldest); seq <= last; seq += 1) {
      const body = this.#events.bodyAt(seq);
      if (body?.kind !== 'request' || body.interface !== 'api' || body.wallet === null) continue;
      const { atMs = 0, requestId = null } = this.#events.at(seq) ?? {};
      const { wallet, operation, status, code } = body;
      this.#byWallet.set(wallet, { event: seq, requestId, at: isoOf(atMs), operation, status, code });
    }
    this.#read = last;
    return last;
  }

  of(wallet: string): LastCall | null {
    return this.#byWallet.get(wallet) ?? null;
  }
}
