import { signal } from '@preact/signals';
import type { Control } from './client.js';
import { type EventRow, type LoggedEvent, rowOf } from './events.js';

/** The most events that the page holds; the oldest are dropped. */
export const MOST_ROWS = 100_000;
/** The number of events read when the page opens, and for each page of older ones. */
const PAGE = 1_000;

/** The latest events of the world, oldest first, in a bounded window. */
export class EventFeed {
  readonly #control: Control;
  #rows: EventRow[] = [];
  #isLoading = false;
  /** The number of the last event before the window began. */
  startedAt = 0;
  /** Grows when the rows have changed. */
  readonly version = signal(0);
  /** The number of the oldest event that the simulator still has. */
  readonly oldest = signal(1);
  /** The number of events that the page could not read, because it was too slow. */
  readonly missed = signal(0);

  constructor(control: Control) {
    this.#control = control;
  }

  get rows(): readonly EventRow[] {
    return this.#rows;
  }

  /** The number of the last event; 0 when there is none. */
  get last(): number {
    return this.#rows.at(-1)?.seq ?? 0;
  }

  /** Whether the simulator has older events than the window. */
  get hasOlder(): boolean {
    return this.#rows.length < MOST_ROWS && (this.#rows[0]?.seq ?? 0) > this.oldest.value;
  }

  clear(): void {
    this.#rows = [];
    this.missed.value = 0;
    this.version.value += 1;
  }

  append(events: readonly LoggedEvent[]): void {
    for (const event of events) if (event.seq > this.last) this.#rows.push(rowOf(event));
    // In steps, so that not every event moves all others.
    if (this.#rows.length > MOST_ROWS * 1.1) this.#rows = this.#rows.slice(-MOST_ROWS);
    this.version.value += 1;
  }

  /** Reads the page of events before the window. */
  async loadOlder(): Promise<void> {
    const first = this.#rows[0]?.seq ?? 0;
    if (this.#isLoading || !this.hasOlder) return;
    this.#isLoading = true;
    try {
      const after = Math.max(this.oldest.value - 1, first - 1 - PAGE);
      const page = await this.#control.do('events', { query: { after, limit: PAGE } });
      this.oldest.value = page.oldest;
      const older = page.events.filter(({ seq }) => seq < first);
      if (this.#rows[0]?.seq !== first) return;
      this.#rows = [...older.map(rowOf), ...this.#rows];
      this.version.value += 1;
    } finally {
      this.#isLoading = false;
    }
  }

  /** Reads the events after one, and whether more follow; counts events that the simulator no longer has. */
  async after(seq: number, stop: AbortSignal): Promise<{ events: readonly LoggedEvent[]; isWhole: boolean }> {
    const page = await this.#control.do('events', { query: { after: seq, limit: PAGE }, signal: stop });
    this.missed.value += Math.max(0, page.oldest - 1 - seq);
    return { events: page.events, isWhole: page.next === null };
  }

  /**
   * The event after which to continue. Clears the window when its last event is not in the simulator's log: the simulator has restarted, or
   * no longer has the event.
   */
  async resume(stop: AbortSignal): Promise<number> {
    const known = this.#rows.at(-1);
    const query = { after: Math.max(0, this.last - 1), limit: 1 };
    const page = await this.#control.do('events', { query, signal: stop });
    const { oldest, last } = page;
    this.oldest.value = oldest;
    if (known !== undefined) {
      const [same] = page.events;
      if (same !== undefined && JSON.stringify(rowOf(same)) === JSON.stringify(known)) return known.seq;
      this.clear();
    }
    this.startedAt = last;
    return Math.max(oldest - 1, last - PAGE, 0);
  }
}
