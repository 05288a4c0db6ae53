import { TOKENS, type PerToken, type Token } from '../core/domain/money.js';
import { type Feed, fixedFeed } from './feed.js';
import { Timeline } from './timeline.js';
import { YieldIndex, type YieldIndexSnapshot } from './yield-index.js';

/** A value that the oracle publishes for a token: the APY of its savings (ppm), or its price in USD (10^-8). */
export type ValueKind = 'apy' | 'usd';

/** Decimal digits of the integers that stand for a value. */
export const VALUE_DIGITS = { apy: 6, usd: 8 } as const satisfies Record<ValueKind, number>;

/** The feeds of a world: APYs in ppm, prices in 10^-8 USD. */
export interface OracleFeeds {
  readonly apy: PerToken<Feed>;
  readonly price: PerToken<Feed>;
}

type Timelines = Readonly<Record<ValueKind, PerToken<Timeline>>>;

/** Since when the data is stale, and the timelines that it would otherwise publish. */
interface Staleness {
  readonly sinceMs: number;
  readonly behind: Timelines;
}

export interface OracleSnapshot {
  readonly indices: PerToken<YieldIndexSnapshot>;
  readonly told: Timelines;
  readonly stale: Staleness | null;
  readonly out: boolean;
}

/** An upcoming change of one of the oracle's feeds. */
export interface OracleChange {
  readonly atMs: number;
  readonly kind: 'yield.changed' | 'price.changed';
  readonly token: Token;
}

/** A price that is older than the bank accepts. */
export interface StalePrice {
  readonly asOfMs: number;
  readonly maxAgeMs: number;
}

const EVENTS = { apy: 'yield.changed', usd: 'price.changed' } as const;
const KINDS = ['apy', 'usd'] as const;

function perToken<A, B>(values: PerToken<A>, change: (value: A, token: Token) => B): PerToken<B> {
  return { USDC: change(values.USDC, 'USDC'), SOL: change(values.SOL, 'SOL') };
}

function changeAll(lines: Timelines, change: (line: Timeline, kind: ValueKind, token: Token) => Timeline) {
  return {
    apy: perToken(lines.apy, (line, token) => change(line, 'apy', token)),
    usd: perToken(lines.usd, (line, token) => change(line, 'usd', token)),
  };
}

/**
 * The source of savings rates and USD prices. While it is down, savings go on earning at the set rates and nothing has a price.
 * While it is stale, all values are frozen, and savings earn the frozen rate.
 */
export class Oracle {
  readonly #indices: PerToken<YieldIndex>;
  readonly #maxAgeMs: number | null;
  #published: Timelines;
  #stale: Staleness | null = null;
  #out = false;

  /** `maxAgeMs` is the maximum age of a usable price; null for any age. */
  constructor(feeds: OracleFeeds, startMs: number, maxAgeMs: number | null = null) {
    this.#maxAgeMs = maxAgeMs;
    this.#published = {
      apy: perToken(feeds.apy, (feed) => Timeline.of(feed, startMs)),
      usd: perToken(feeds.price, (feed) => Timeline.of(feed, startMs)),
    };
    this.#indices = perToken(this.#published.apy, (line) => new YieldIndex(line, startMs));
  }

  yieldIndex(token: Token, atMs: number): bigint {
    return this.#indices[token].at(atMs);
  }

  /**
   * Computes the yield of savings up to an instant, or over the next `most` changes of a rate. Afterwards `yieldIndex` has little to
   * compute, and answers no earlier instant. Returns whether all changes were computed.
   */
  earnUntil(atMs: number, most?: number): boolean {
    return TOKENS.every((token) => this.#indices[token].passChanges(atMs, most));
  }

  apyPpm(token: Token, atMs: number): bigint {
    return this.#published.apy[token].at(atMs);
  }

  priceE8(token: Token, atMs: number): bigint {
    return this.#published.usd[token].at(atMs);
  }

  isOut(): boolean {
    return this.#out;
  }

  setOut(out: boolean): void {
    this.#out = out;
  }

  /** Since when all values are frozen; null while the data is fresh. */
  staleSinceMs(): number | null {
    return this.#stale?.sinceMs ?? null;
  }

  /** Why prices are unusable at an instant; null when they are usable. */
  stalePrice(atMs: number): StalePrice | null {
    if (this.#stale === null || this.#maxAgeMs === null) return null;
    const asOfMs = this.#stale.sinceMs;
    return atMs - asOfMs > this.#maxAgeMs ? { asOfMs, maxAgeMs: this.#maxAgeMs } : null;
  }

  /** Freezes all values from now on, or resumes following their sources. */
  setStale(stale: boolean, nowMs: number): void {
    if (stale === (this.#stale !== null)) return;
    if (this.#stale === null) {
      const behind = this.#published;
      this.#stale = { sinceMs: nowMs, behind };
      const held = (line: Timeline) => line.follow(fixedFeed(line.at(nowMs)), nowMs, { isPlanned: false });
      this.#publish(changeAll(behind, held), nowMs);
      return;
    }
    const { behind } = this.#stale;
    this.#stale = null;
    this.#publish(
      changeAll(this.#published, (line, kind, token) => line.switchTo(behind[kind][token], nowMs)),
      nowMs,
    );
  }

  /**
   * Switches a value to another feed from an instant on, permanently. While the data is stale, the change shows only once it is fresh
   * again. Throws RangeError for an instant in the past.
   */
  follow(kind: ValueKind, token: Token, feed: Feed, when: { fromMs: number; nowMs: number }): void {
    const { fromMs, nowMs } = when;
    if (fromMs < nowMs) throw new RangeError('past rates and prices cannot change');
    const change = (lines: Timelines): Timelines => ({
      ...lines,
      [kind]: {
        ...lines[kind],
        [token]: lines[kind][token].follow(feed, fromMs, { isPlanned: fromMs > nowMs }),
      },
    });
    if (this.#stale === null) this.#publish(change(this.#published), fromMs);
    else this.#stale = { ...this.#stale, behind: change(this.#stale.behind) };
  }

  /** The published values over time, including planned ones. */
  timeline(kind: ValueKind, token: Token): Timeline {
    return this.#published[kind][token];
  }

  /** The planned switches to another feed after an instant, earliest first. */
  plannedAfter(atMs: number): { atMs: number; kind: ValueKind; token: Token }[] {
    const lines = this.#stale?.behind ?? this.#published;
    return KINDS.flatMap((kind) =>
      TOKENS.flatMap((token) =>
        lines[kind][token].plannedAfter(atMs).map((plannedMs) => ({ atMs: plannedMs, kind, token })),
      ),
    ).toSorted((a, b) => a.atMs - b.atMs);
  }

  /** The next changes after an instant; several may coincide. */
  nextChanges(afterMs: number): OracleChange[] {
    let changes: OracleChange[] = [];
    let firstMs = Number.POSITIVE_INFINITY;
    for (const token of TOKENS) {
      for (const kind of KINDS) {
        const atMs = this.#published[kind][token].nextEventAfter(afterMs);
        if (atMs === null || atMs > firstMs) continue;
        if (atMs < firstMs) changes = [];
        firstMs = atMs;
        changes.push({ atMs, kind: EVENTS[kind], token });
      }
    }
    return changes;
  }

  snapshot(): OracleSnapshot {
    return {
      indices: perToken(this.#indices, (index) => index.snapshot()),
      told: this.#published,
      stale: this.#stale,
      out: this.#out,
    };
  }

  restore(snapshot: OracleSnapshot): void {
    for (const token of TOKENS) this.#indices[token].restore(snapshot.indices[token]);
    this.#published = snapshot.told;
    this.#stale = snapshot.stale;
    this.#out = snapshot.out;
  }

  /** Publishes other timelines, which differ from the current timelines only from `fromMs` on. */
  #publish(lines: Timelines, fromMs: number): void {
    this.#published = lines;
    for (const token of TOKENS) this.#indices[token].follow(lines.apy[token], fromMs);
  }
}
