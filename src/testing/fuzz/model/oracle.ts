import { iso, priceE8, ratePpm } from './amounts.js';
import { TextWith } from './checks.js';
import { type Growth, INDEX_ONE } from './growth.js';
import type { ModelToken, ModelConfig, Trouble } from './types.js';
import { type Refused, refused } from './verdict.js';

const NAMES: Readonly<Record<ModelToken, TextWith>> = {
  USDC: new TextWith(/USDC/),
  SOL: new TextWith(/SOL/),
};

interface Feed {
  readonly apyPpm: bigint;
  readonly priceE8: bigint;
}

interface Index {
  readonly atSecond: number;
  /** In `INDEX_ONE`. */
  readonly value: bigint;
}

/** Rates and prices, and the growth of savings since the world began. Source: docs/fidelity.md, Oracle and Savings. */
export class OracleView {
  readonly #growth: Growth;
  readonly #maxAgeMs: number | null;
  /** Effective values; they differ from those that were set while the data is stale. */
  #now: Record<ModelToken, Feed>;
  #set: Record<ModelToken, Feed>;
  #index: Record<ModelToken, Index>;
  #isOut = false;
  #staleSinceMs: number | null = null;

  private constructor(
    growth: Growth,
    maxAgeMs: number | null,
    feeds: Record<ModelToken, Feed>,
    index: Record<ModelToken, Index>,
  ) {
    this.#growth = growth;
    this.#maxAgeMs = maxAgeMs;
    this.#now = feeds;
    this.#set = feeds;
    this.#index = index;
  }

  static begin({ apy, price, oracleMaxAgeMs, startMs }: ModelConfig, growth: Growth): OracleView {
    const feed = (token: ModelToken): Feed => ({
      apyPpm: ratePpm(apy[token]),
      priceE8: priceE8(price[token]),
    });
    const index = { atSecond: Math.floor(startMs / 1000), value: INDEX_ONE };
    return new OracleView(
      growth,
      oracleMaxAgeMs,
      { USDC: feed('USDC'), SOL: feed('SOL') },
      { USDC: index, SOL: index },
    );
  }

  copy(): OracleView {
    const other = new OracleView(this.#growth, this.#maxAgeMs, this.#now, this.#index);
    other.#set = this.#set;
    other.#isOut = this.#isOut;
    other.#staleSinceMs = this.#staleSinceMs;
    return other;
  }

  apyPpm(token: ModelToken): bigint {
    return this.#now[token].apyPpm;
  }

  /** In hundred-millionths of a USD, whatever its age. */
  priceE8(token: ModelToken): bigint {
    return this.#now[token].priceE8;
  }

  isOut(trouble: Trouble): boolean {
    return this.#isOut || trouble.oracleIsOut;
  }

  /** Why a token has no valid price now; null if it has. */
  refusal(token: ModelToken, nowMs: number, trouble: Trouble): Refused | null {
    const needed = { needed_for: NAMES[token] };
    if (this.isOut(trouble)) return refused('oracle_unavailable', needed);
    if (this.#staleSinceMs === null || this.#maxAgeMs === null) return null;
    if (nowMs - this.#staleSinceMs <= this.#maxAgeMs) return null;
    return refused('oracle_unavailable', {
      ...needed,
      price_as_of: iso(this.#staleSinceMs),
      max_age_seconds: this.#maxAgeMs / 1000,
    });
  }

  /** The value, in `INDEX_ONE`, of one base unit saved when the world began. It grows at the end of each second since the epoch. */
  index(token: ModelToken, nowMs: number): bigint {
    const second = Math.floor(nowMs / 1000);
    const index = this.#index[token];
    if (index.atSecond === second) return index.value;
    const grown = this.#growth.over(this.#now[token].apyPpm, second - index.atSecond);
    const value = (index.value * grown) / INDEX_ONE;
    this.#index = { ...this.#index, [token]: { atSecond: second, value } };
    return value;
  }

  setApy(token: ModelToken, apy: number, nowMs: number): void {
    this.#put(token, { ...this.#set[token], apyPpm: ratePpm(apy) }, nowMs);
  }

  setPrice(token: ModelToken, usd: number, nowMs: number): void {
    this.#put(token, { ...this.#set[token], priceE8: priceE8(usd) }, nowMs);
  }

  setOutage(isOut: boolean): void {
    this.#isOut = isOut;
  }

  setStale(isStale: boolean, nowMs: number): void {
    if (isStale === (this.#staleSinceMs !== null)) return;
    this.#staleSinceMs = isStale ? nowMs : null;
    this.#hold(nowMs);
  }

  #put(token: ModelToken, feed: Feed, nowMs: number): void {
    this.#set = { ...this.#set, [token]: feed };
    this.#hold(nowMs);
  }

  /** Makes the set values effective, unless the data is stale. */
  #hold(nowMs: number): void {
    if (this.#staleSinceMs !== null) return;
    this.index('USDC', nowMs);
    this.index('SOL', nowMs);
    this.#now = this.#set;
  }
}
