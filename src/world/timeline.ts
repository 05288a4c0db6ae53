import { List } from 'immutable';
import type { Feed, FeedPoint, Moving } from './feed.js';

/** A stretch of time in which one feed holds. */
export interface Stretch {
  readonly fromMs: number;
  readonly feed: Feed;
  /** Whether it was planned ahead; else it was set at its own instant, and tells nobody anything new there. */
  readonly isPlanned: boolean;
}

/** Changes of a feed within a span of time, oldest first. */
export interface ChangesPage {
  readonly points: readonly FeedPoint[];
  /** Where the rest begins; null when there is none. */
  readonly nextMs: number | null;
}

/**
 * A value over all of a world's time: which feed held when, and which is planned to hold. It is a value itself: setting a feed
 * makes a new timeline, and what has been stays readable.
 */
export class Timeline implements Moving {
  readonly #stretches: List<Stretch>;

  private constructor(stretches: List<Stretch>) {
    this.#stretches = stretches;
  }

  /** A timeline that follows one feed from the beginning of a world. */
  static of(feed: Feed, startMs: number): Timeline {
    return new Timeline(List([{ fromMs: startMs, feed, isPlanned: false }]));
  }

  /** A timeline of these stretches, oldest first. Throws RangeError for none. */
  static from(stretches: readonly Stretch[]): Timeline {
    if (stretches.length === 0) throw new RangeError('a timeline needs at least one stretch');
    return new Timeline(List(stretches));
  }

  /** Which feed held when, and which is planned to hold. */
  stretches(): readonly Stretch[] {
    return this.#stretches.toArray();
  }

  get startMs(): number {
    return this.#get(0).fromMs;
  }

  at(atMs: number): bigint {
    return this.#get(this.#indexAt(atMs)).feed.at(atMs);
  }

  /** The first instant after another at which the value may change, set or planned. */
  nextChangeAfter(atMs: number): number | null {
    return this.#nextAfter(atMs)?.atMs ?? null;
  }

  /** The same without the instants at which somebody set a feed for at once: who did it knows. */
  nextEventAfter(atMs: number): number | null {
    for (let afterMs = atMs; ;) {
      const next = this.#nextAfter(afterMs);
      if (next === null || next.isEvent) return next?.atMs ?? null;
      afterMs = next.atMs;
    }
  }

  /** Another feed holds from an instant on, for good: what was planned for later is given up. */
  follow(feed: Feed, fromMs: number, options: { isPlanned: boolean }): Timeline {
    return new Timeline(this.#before(fromMs).push({ fromMs, feed, isPlanned: options.isPlanned }));
  }

  /** This until an instant, another timeline from then on. */
  switchTo(other: Timeline, fromMs: number): Timeline {
    const index = other.#indexAt(fromMs);
    const now: Stretch = { fromMs, feed: other.#get(index).feed, isPlanned: false };
    const later = other.#stretches.slice(index + 1);
    return new Timeline(this.#before(fromMs).push(now).concat(later));
  }

  /** The instants after another at which a feed is planned to begin. */
  plannedAfter(atMs: number): number[] {
    return this.#stretches
      .slice(this.#indexAt(atMs))
      .filter(({ fromMs }) => fromMs > atMs)
      .map(({ fromMs }) => fromMs)
      .toArray();
  }

  /**
   * The value at `fromMs` and its changes up to and with `toMs`. Looks at `limit` instants (at least 1), so it is short however
   * often the value moves; a page may hold fewer, for an instant at which the value stays is no change.
   */
  changes(fromMs: number, toMs: number, limit: number): ChangesPage {
    const points: FeedPoint[] = [{ atMs: fromMs, value: this.at(fromMs) }];
    let nextMs = this.nextChangeAfter(fromMs);
    for (let looked = 1; nextMs !== null && nextMs <= toMs; looked += 1) {
      if (looked >= limit) return { points, nextMs };
      const value = this.at(nextMs);
      if (value !== points.at(-1)?.value) points.push({ atMs: nextMs, value });
      nextMs = this.nextChangeAfter(nextMs);
    }
    return { points, nextMs: null };
  }

  #nextAfter(atMs: number): { atMs: number; isEvent: boolean } | null {
    const index = this.#indexAt(atMs);
    const changeMs = this.#get(index).feed.nextChangeAfter(atMs);
    const following = this.#stretches.get(index + 1);
    if (following !== undefined && (changeMs === null || changeMs >= following.fromMs)) {
      return { atMs: following.fromMs, isEvent: following.isPlanned };
    }
    return changeMs === null ? null : { atMs: changeMs, isEvent: true };
  }

  #before(fromMs: number): List<Stretch> {
    let kept = this.#stretches;
    for (let last = kept.last(); last !== undefined && last.fromMs >= fromMs; last = kept.last()) {
      kept = kept.pop();
    }
    return kept;
  }

  // The stretch that an instant lies in; the first for one before it.
  #indexAt(atMs: number): number {
    let low = 1;
    let high = this.#stretches.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#get(middle).fromMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #get(index: number): Stretch {
    return this.#stretches.get(index) as Stretch;
  }
}
