import { signal } from '@preact/signals';
import type { EventRow } from '../control/events.js';
import type { EventFeed } from '../control/feed.js';

/** The most time that filtering takes of one frame. */
const SLICE_MS = 6;
const LOOK_EVERY = 512;
const NONE = -1;

/** The events of a feed that match a filter, kept up to date in slices of a few milliseconds. */
export class FilteredRows {
  readonly #feed: EventFeed;
  #matches: (row: EventRow) => boolean = () => true;
  /** The matches among the rows of the feed that were looked at: the shown rows, or the next ones until they are complete. */
  #found: EventRow[] = [];
  #seen = 0;
  #firstSeq = NONE;
  #isScheduled = false;
  rows: readonly EventRow[] = this.#found;
  /** Grows when the rows have changed. */
  readonly version = signal(0);

  constructor(feed: EventFeed) {
    this.#feed = feed;
  }

  setFilter(matches: (row: EventRow) => boolean): void {
    this.#matches = matches;
    this.#firstSeq = NONE;
    this.update();
  }

  update(): void {
    if (!this.#isScheduled) this.#slice();
  }

  #slice(): void {
    const { rows } = this.#feed;
    const firstSeq = rows[0]?.seq ?? 0;
    // The filter is another one, or older rows have come or gone.
    if (firstSeq !== this.#firstSeq) {
      this.#found = [];
      this.#seen = 0;
    }
    this.#firstSeq = firstSeq;
    const untilMs = performance.now() + SLICE_MS;
    while (this.#seen < rows.length) {
      const row = rows[this.#seen] as EventRow;
      this.#seen += 1;
      if (this.#matches(row)) this.#found.push(row);
      if (this.#seen % LOOK_EVERY === 0 && performance.now() > untilMs) break;
    }
    this.#isScheduled = this.#seen < rows.length;
    if (this.#isScheduled) requestAnimationFrame(() => this.#slice());
    else this.rows = this.#found;
    this.version.value += 1;
  }
}
