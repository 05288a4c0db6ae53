import type { Place } from './compare.js';

export type DueKind =
  /** A transaction in flight, by its key among unsettled transfers, or by its signature if the bank did not send it. */
  | { readonly kind: 'arrival'; readonly of: { readonly key: string } | { readonly signature: string } }
  | { readonly kind: 'settlement' }
  /** `at`: the record of a withdrawal, or a loan. */
  | { readonly kind: 'withdrawal' | 'due' | 'default'; readonly at: Place };

interface DueEvent {
  readonly atMs: number;
  readonly what: DueKind;
}

/** Future events in order of time; at one instant first arrivals, then the others, in the order in which they were scheduled. */
export class Schedule {
  events: readonly DueEvent[] = [];

  add(event: DueEvent): void {
    const isArrival = event.what.kind === 'arrival';
    const isLater = ({ atMs, what }: DueEvent) =>
      atMs > event.atMs || (atMs === event.atMs && isArrival && what.kind !== 'arrival');
    const at = this.events.findIndex(isLater);
    this.events = this.events.toSpliced(at < 0 ? this.events.length : at, 0, event);
  }

  /** The records of queued withdrawals, the next one first. */
  withdrawals(): Place[] {
    return this.events.flatMap(({ what }) => (what.kind === 'withdrawal' ? [what.at] : []));
  }

  get next(): DueEvent | null {
    return this.events[0] ?? null;
  }

  dropNext(): void {
    this.events = this.events.slice(1);
  }
}
