import type { RecordPlace } from './compare.js';

export type DueKind =
  /** A transaction in flight, by its key among unsettled transfers, or by its signature if the bank did not send it. */
  | { readonly kind: 'arrival'; readonly of: { readonly key: string } | { readonly signature: string } }
  | { readonly kind: 'settlement' }
  | { readonly kind: 'withdrawal'; readonly wallet: string; readonly record: number }
  | { readonly kind: 'due'; readonly wallet: string; readonly loan: number }
  | { readonly kind: 'default'; readonly wallet: string; readonly loan: number };

export interface DueEvent {
  readonly atMs: number;
  readonly what: DueKind;
}

/** Future events in order of time; events at one instant in the order in which they were scheduled. */
export class Schedule {
  #events: DueEvent[];

  constructor(events: DueEvent[] = []) {
    this.#events = events;
  }

  copy(): Schedule {
    return new Schedule(this.#events.slice());
  }

  add(event: DueEvent): void {
    let at = this.#events.length;
    while (at > 0 && (this.#events[at - 1]?.atMs ?? 0) > event.atMs) at -= 1;
    this.#events.splice(at, 0, event);
  }

  /** Adds an arrival before all other events of its instant except earlier arrivals. */
  addArrival({ atMs, of }: { atMs: number; of: (DueKind & { kind: 'arrival' })['of'] }): void {
    const isLater = (event: DueEvent) =>
      event.atMs > atMs || (event.atMs === atMs && event.what.kind !== 'arrival');
    const at = this.#events.findIndex(isLater);
    this.#events.splice(at < 0 ? this.#events.length : at, 0, { atMs, what: { kind: 'arrival', of } });
  }

  /** The records of queued withdrawals, the next one first. */
  withdrawals(): RecordPlace[] {
    return this.#events.flatMap(({ what }) =>
      what.kind === 'withdrawal' ? [{ wallet: what.wallet, index: what.record }] : [],
    );
  }

  get next(): DueEvent | null {
    return this.#events[0] ?? null;
  }

  dropNext(): void {
    this.#events.shift();
  }
}
