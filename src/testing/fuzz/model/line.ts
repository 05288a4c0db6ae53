import { type Feed, type Point, Walk, fixed } from './feeds.js';

interface Stretch {
  readonly fromMs: number;
  readonly feed: Feed;
  /** Whether it was set for later. */
  readonly isPlanned: boolean;
}

/** A published value over the time of a world, past and planned; immutable. Source: docs/rates.md. */
export class Line implements Feed {
  readonly #stretches: readonly Stretch[];

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
  }

  at(atMs: number): bigint {
    return this.#stretchAt(atMs).feed.at(atMs);
  }

  nextAfter(atMs: number): number | null {
    const following = this.#stretches.find(({ fromMs }) => fromMs > atMs)?.fromMs ?? null;
    const change = this.#stretchAt(atMs).feed.nextAfter(atMs);
    if (following === null || change === null) return following ?? change;
    return Math.min(following, change);
  }

  /** The next instant at which the value may change, but for changes that took effect when they were made. */
  nextEventAfter(atMs: number): number | null {
    const isTold = (at: number) => this.#stretches.find(({ fromMs }) => fromMs === at)?.isPlanned ?? true;
    let at = this.nextAfter(atMs);
    while (at !== null && !isTold(at)) at = this.nextAfter(at);
    return at;
  }

  /** Follows a feed from an instant on, instead of all that was planned for later. */
  follow(feed: Feed, fromMs: number, isPlanned: boolean): Line {
    return new Line([...this.#until(fromMs), { fromMs, feed, isPlanned }]);
  }

  /** Stands still from an instant on. */
  held(fromMs: number): Line {
    return this.follow(fixed(this.at(fromMs)), fromMs, false);
  }

  /** Goes on as another line from an instant on. */
  resumed(other: Line, fromMs: number): Line {
    const now = { fromMs, feed: other.#stretchAt(fromMs).feed, isPlanned: false };
    const later = other.#stretches.filter((stretch) => stretch.fromMs > fromMs);
    return new Line([...this.#until(fromMs), now, ...later]);
  }

  /** The instants after another at which something planned begins. */
  plannedAfter(atMs: number): number[] {
    return this.#stretches.map(({ fromMs }) => fromMs).filter((fromMs) => fromMs > atMs);
  }

  /**
   * The value at the beginning of a span, and each change until its end. No more than `most` instants are looked at; the first that is not
   * is `nextMs`.
   */
  changes(fromMs: number, toMs: number, most: number): { points: Point[]; nextMs: number | null } {
    const points: Point[] = [{ atMs: fromMs, value: this.at(fromMs) }];
    let at = this.nextAfter(fromMs);
    for (let seen = 1; at !== null && at <= toMs; seen += 1) {
      if (seen === most) return { points, nextMs: at };
      const value = this.at(at);
      if (value !== points.at(-1)?.value) points.push({ atMs: at, value });
      at = this.nextAfter(at);
    }
    return { points, nextMs: null };
  }

  /** Whether a walk is published in a span. */
  hasWalk(fromMs: number, toMs: number): boolean {
    return this.#within(fromMs, toMs).length > 0;
  }

  /** Takes what the world says of a span, for its walks. Returns what is wrong; null for nothing. */
  learn(fromMs: number, toMs: number, told: readonly Point[]): string | null {
    for (const { walk, beginMs, endMs } of this.#within(fromMs, toMs)) {
      for (let at: number | null = beginMs; at !== null && at < endMs; at = walk.nextAfter(at)) {
        const now = at;
        const value = told.findLast(({ atMs }) => atMs <= now)?.value;
        const wrong = value === undefined ? 'its value is not told' : walk.learn(now, value);
        if (wrong !== null) return wrong;
      }
    }
    return null;
  }

  #within(fromMs: number, toMs: number): { walk: Walk; beginMs: number; endMs: number }[] {
    return this.#stretches.flatMap(({ fromMs: sinceMs, feed }, place) => {
      const beginMs = Math.max(sinceMs, fromMs);
      const endMs = Math.min(this.#stretches[place + 1]?.fromMs ?? Number.POSITIVE_INFINITY, toMs + 1);
      return feed instanceof Walk && beginMs < endMs ? [{ walk: feed, beginMs, endMs }] : [];
    });
  }

  #until(atMs: number): readonly Stretch[] {
    return this.#stretches.filter(({ fromMs }) => fromMs < atMs);
  }

  #stretchAt(atMs: number): Stretch {
    return (this.#stretches.findLast(({ fromMs }) => fromMs <= atMs) ?? this.#stretches[0]) as Stretch;
  }
}
