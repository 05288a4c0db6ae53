import { TOKENS, type PerToken, type Token } from '../core/domain/money.js';
import { type Feed, fixedFeed } from './feed.js';
import { Timeline } from './timeline.js';
import { Growths, YieldIndex, type YieldIndexSnapshot } from './yield-index.js';

/** What an oracle tells of a token: the APY of its savings (ppm), or what it is worth in USD (10^-8). */
export type ValueKind = 'apy' | 'usd';

/** The feeds of a world: APYs in ppm, prices in 10^-8 USD. */
export interface OracleFeeds {
  readonly apy: PerToken<Feed>;
  readonly price: PerToken<Feed>;
}

type Timelines = Readonly<Record<ValueKind, PerToken<Timeline>>>;

/** What would be told if the data were not stale, and since when it is. */
interface Staleness {
  readonly sinceMs: number;
  readonly behind: Timelines;
}

/** An oracle at one moment, as a value. */
export interface OracleSnapshot {
  readonly indices: PerToken<YieldIndexSnapshot>;
  readonly told: Timelines;
  readonly stale: Staleness | null;
  readonly out: boolean;
}

/** A change that the oracle's feeds hold ready. */
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
 * The source of savings rates and USD prices. While it is out, savings go on at the last rate, and nothing can be priced. While
 * it is stale, every value stands still, and savings go on at the rate that stands.
 */
export class Oracle {
  readonly #indices: PerToken<YieldIndex>;
  readonly #maxAgeMs: number | null;
  #told: Timelines;
  #stale: Staleness | null = null;
  #out = false;

  /** `maxAgeMs` is how old a price may be before it is refused; null for any age. */
  constructor(feeds: OracleFeeds, startMs: number, maxAgeMs: number | null = null) {
    const growths = new Growths();
    this.#maxAgeMs = maxAgeMs;
    this.#told = {
      apy: perToken(feeds.apy, (feed) => Timeline.of(feed, startMs)),
      usd: perToken(feeds.price, (feed) => Timeline.of(feed, startMs)),
    };
    this.#indices = perToken(this.#told.apy, (line) => new YieldIndex(growths, line, startMs));
  }

  yieldIndex(token: Token, atMs: number): bigint {
    return this.#indices[token].at(atMs);
  }

  apyPpm(token: Token, atMs: number): bigint {
    return this.#told.apy[token].at(atMs);
  }

  priceE8(token: Token, atMs: number): bigint {
    return this.#told.usd[token].at(atMs);
  }

  isOut(): boolean {
    return this.#out;
  }

  setOut(out: boolean): void {
    this.#out = out;
  }

  /** Since when every value stands still; null while the data is fresh. */
  staleSinceMs(): number | null {
    return this.#stale?.sinceMs ?? null;
  }

  /** Why no price may be used at an instant; null when it may. */
  stalePrice(atMs: number): StalePrice | null {
    if (this.#stale === null || this.#maxAgeMs === null) return null;
    const asOfMs = this.#stale.sinceMs;
    return atMs - asOfMs > this.#maxAgeMs ? { asOfMs, maxAgeMs: this.#maxAgeMs } : null;
  }

  /** Lets every value stand still from now on, or follow its source again. */
  setStale(stale: boolean, nowMs: number): void {
    if (stale === (this.#stale !== null)) return;
    if (this.#stale === null) {
      const behind = this.#told;
      this.#stale = { sinceMs: nowMs, behind };
      const held = (line: Timeline) => line.follow(fixedFeed(line.at(nowMs)), nowMs, { isPlanned: false });
      this.#tell(changeAll(behind, held), nowMs);
      return;
    }
    const { behind } = this.#stale;
    this.#stale = null;
    this.#tell(
      changeAll(this.#told, (line, kind, token) => line.switchTo(behind[kind][token], nowMs)),
      nowMs,
    );
  }

  /**
   * A value follows another feed from an instant on, for good. Stale data shows it when it is fresh again. Throws RangeError for
   * an instant that has passed.
   */
  follow(kind: ValueKind, token: Token, feed: Feed, when: { fromMs: number; nowMs: number }): void {
    const { fromMs, nowMs } = when;
    if (fromMs < nowMs) throw new RangeError('what has been earned and paid cannot be changed any more');
    const change = (lines: Timelines): Timelines => ({
      ...lines,
      [kind]: {
        ...lines[kind],
        [token]: lines[kind][token].follow(feed, fromMs, { isPlanned: fromMs > nowMs }),
      },
    });
    if (this.#stale === null) this.#tell(change(this.#told), fromMs);
    else this.#stale = { ...this.#stale, behind: change(this.#stale.behind) };
  }

  /** What was told over time, and is planned to be. */
  timeline(kind: ValueKind, token: Token): Timeline {
    return this.#told[kind][token];
  }

  /** The instants after another at which another source is planned to hold, soonest first. */
  plannedAfter(atMs: number): { atMs: number; kind: ValueKind; token: Token }[] {
    const lines = this.#stale?.behind ?? this.#told;
    return KINDS.flatMap((kind) =>
      TOKENS.flatMap((token) =>
        lines[kind][token].plannedAfter(atMs).map((plannedMs) => ({ atMs: plannedMs, kind, token })),
      ),
    ).toSorted((a, b) => a.atMs - b.atMs);
  }

  /** The changes that come first after an instant; several may fall together. */
  nextChanges(afterMs: number): OracleChange[] {
    const changes: OracleChange[] = [];
    for (const token of TOKENS) {
      for (const kind of KINDS) {
        const atMs = this.#told[kind][token].nextEventAfter(afterMs);
        if (atMs !== null) changes.push({ atMs, kind: EVENTS[kind], token });
      }
    }
    const first = Math.min(...changes.map((change) => change.atMs));
    return changes.filter((change) => change.atMs === first);
  }

  snapshot(): OracleSnapshot {
    return {
      indices: perToken(this.#indices, (index) => index.snapshot()),
      told: this.#told,
      stale: this.#stale,
      out: this.#out,
    };
  }

  restore(snapshot: OracleSnapshot): void {
    for (const token of TOKENS) this.#indices[token].restore(snapshot.indices[token]);
    this.#told = snapshot.told;
    this.#stale = snapshot.stale;
    this.#out = snapshot.out;
  }

  /** Tells other values from an instant on; before it they are the same. */
  #tell(lines: Timelines, fromMs: number): void {
    this.#told = lines;
    for (const token of TOKENS) this.#indices[token].follow(lines.apy[token], fromMs);
  }
}
