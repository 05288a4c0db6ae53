import { signal } from '@preact/signals';
import type { EventRow } from '../control/events.js';
import type { EventFeed } from '../control/feed.js';

/** The most time that filtering takes of one frame. */
const SLICE_MS = 6;
const LOOK_EVERY = 512;

/** The events of a feed that match a filter, kept up to date in slices of a few milliseconds. */
export class FilteredRows {
  readonly #feed: EventFeed;
  #matches: (row: EventRow) => boolean = () => true;
  #rows: EventRow[] = [];
  /** The matches so far after the filter has changed; shown when they are complete. */
  #next: EventRow[] | null = null;
  #seen = 0;
  #firstSeq = 0;
  #isScheduled = false;
  #isStopped = false;
  /** Grows when the rows have changed. */
  readonly version = signal(0);

  constructor(feed: EventFeed) {
    this.#feed = feed;
  }

  get rows(): readonly EventRow[] {
    return this.#rows;
  }

  setFilter(matches: (row: EventRow) => boolean): void {
    this.#matches = matches;
    this.#restart();
    this.update();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Processes new rows of the feed. */
  update(): void {
    const first = this.#feed.rows[0]?.seq ?? 0;
    if (first !== this.#firstSeq) this.#restart();
    if (!this.#isScheduled) this.#slice();
  }

  #restart(): void {
    this.#firstSeq = this.#feed.rows[0]?.seq ?? 0;
    this.#seen = 0;
    this.#next = [];
  }

  #slice(): void {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    const { rows } = this.#feed;
    if ((rows[0]?.seq ?? 0) !== this.#firstSeq) this.#restart();
    const into = this.#next ?? this.#rows;
    const untilMs = performance.now() + SLICE_MS;
    while (this.#seen < rows.length) {
      const row = rows[this.#seen] as EventRow;
      this.#seen += 1;
      if (this.#matches(row)) into.push(row);
      if (this.#seen % LOOK_EVERY === 0 && performance.now() > untilMs) break;
    }
    if (this.#seen < rows.length) {
      this.#isScheduled = true;
      requestAnimationFrame(() => this.#slice());
    } else if (this.#next !== null) {
      this.#rows = this.#next;
      this.#next = null;
    }
    this.version.value += 1;
  }
}
