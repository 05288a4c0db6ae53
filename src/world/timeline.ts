import { List } from 'immutable';
import { firstWhere } from '../core/bisect.js';
import type { Feed, FeedPoint, TimeVaryingValue } from './feed.js';

/** A span of time in which one feed applies. */
export interface Stretch {
  readonly fromMs: number;
  readonly feed: Feed;
  /** Whether it was scheduled ahead; if not, it took effect when it was set, and its start raises no event. */
  readonly isPlanned: boolean;
}

/** Changes of a value within a span of time, oldest first. */
export interface ChangesPage {
  readonly points: readonly FeedPoint[];
  /** Where the next page begins; null on the last page. */
  readonly nextMs: number | null;
}

/**
 * A value over the whole time of a world: past, current and planned feeds. Timelines are immutable: `follow` returns a new one, and
 * past values stay readable.
 */
export class Timeline implements TimeVaryingValue {
  readonly #stretches: List<Stretch>;

  private constructor(stretches: List<Stretch>) {
    this.#stretches = stretches;
  }

  static of(feed: Feed, startMs: number): Timeline {
    return new Timeline(List([{ fromMs: startMs, feed, isPlanned: false }]));
  }

  /** A timeline of the given stretches, oldest first. Throws RangeError without stretches. */
  static from(stretches: readonly Stretch[]): Timeline {
    if (stretches.length === 0) throw new RangeError('a timeline needs at least one stretch');
    return new Timeline(List(stretches));
  }

  /** All stretches, past, current and planned. */
  stretches(): readonly Stretch[] {
    return this.#stretches.toArray();
  }

  get startMs(): number {
    return this.#get(0).fromMs;
  }

  at(atMs: number): bigint {
    return this.#get(this.#indexAt(atMs)).feed.at(atMs);
  }

  /** The next instant at which the value may change, by its feed or by a switch of feeds. */
  nextChangeAfter(atMs: number): number | null {
    return this.#nextAfter(atMs)?.atMs ?? null;
  }

  /** The next instant at which the value may change, without switches that took effect when they were set. */
  nextEventAfter(atMs: number): number | null {
    for (let afterMs = atMs; ;) {
      const next = this.#nextAfter(afterMs);
      if (next === null || next.isEvent) return next?.atMs ?? null;
      afterMs = next.atMs;
    }
  }

  /** Switches to another feed from an instant on, permanently; later planned switches are dropped. */
  follow(feed: Feed, fromMs: number, options: { isPlanned: boolean }): Timeline {
    return new Timeline(this.#before(fromMs).push({ fromMs, feed, isPlanned: options.isPlanned }));
  }

  /** This timeline until an instant, another one from then on. */
  switchTo(other: Timeline, fromMs: number): Timeline {
    const index = other.#indexAt(fromMs);
    const now: Stretch = { fromMs, feed: other.#get(index).feed, isPlanned: false };
    const later = other.#stretches.slice(index + 1);
    return new Timeline(this.#before(fromMs).push(now).concat(later));
  }

  /** The instants after `atMs` at which a planned feed begins. */
  plannedAfter(atMs: number): number[] {
    return this.#stretches
      .slice(this.#indexAt(atMs))
      .filter(({ fromMs }) => fromMs > atMs)
      .map(({ fromMs }) => fromMs)
      .toArray();
  }

  /**
   * The value at `fromMs` and its changes up to and including `toMs`. Inspects `limit` instants (at least 1), which
   * bounds the cost. A page may hold fewer points, since an instant with an unchanged value is not a change.
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
    let earlier = this.#stretches;
    for (let last = earlier.last(); last !== undefined && last.fromMs >= fromMs; last = earlier.last()) {
      earlier = earlier.pop();
    }
    return earlier;
  }

  // The index of the stretch that contains an instant; the first for one before it.
  #indexAt(atMs: number): number {
    return firstWhere(this.#stretches.size, (at) => at > 0 && this.#get(at).fromMs > atMs) - 1;
  }

  #get(index: number): Stretch {
    return this.#stretches.get(index) as Stretch;
  }
}
