import { TOKENS, type PerToken, type Token } from '../domain/money.js';
import type { Feed } from './feed.js';
import { Growths, YieldIndex, type YieldIndexMark } from './yield-index.js';

/** The feeds of a world: APYs in ppm, prices in 10^-8 USD. */
export interface OracleFeeds {
  readonly apy: PerToken<Feed>;
  readonly price: PerToken<Feed>;
}

/** An oracle at one moment, as a value. */
export interface OracleMark {
  readonly indices: PerToken<YieldIndexMark>;
  readonly price: PerToken<Feed>;
  readonly out: boolean;
}

/** A change that the oracle's feeds hold ready. */
export interface OracleChange {
  readonly atMs: number;
  readonly kind: 'yield.changed' | 'price.changed';
  readonly token: Token;
}

/** The source of savings rates and USD prices. While it is out, savings go on at the last rate, and nothing can be priced. */
export class Oracle {
  readonly #indices: PerToken<YieldIndex>;
  #price: PerToken<Feed>;
  #out = false;

  constructor(feeds: OracleFeeds, startMs: number) {
    const growths = new Growths();
    this.#indices = {
      USDC: new YieldIndex(growths, feeds.apy.USDC, startMs),
      SOL: new YieldIndex(growths, feeds.apy.SOL, startMs),
    };
    this.#price = feeds.price;
  }

  yieldIndex(token: Token, atMs: number): bigint {
    return this.#indices[token].at(atMs);
  }

  apyPpm(token: Token, atMs: number): bigint {
    return this.#indices[token].apyPpm(atMs);
  }

  priceE8(token: Token, atMs: number): bigint {
    return this.#price[token].at(atMs);
  }

  isOut(): boolean {
    return this.#out;
  }

  setOut(out: boolean): void {
    this.#out = out;
  }

  /** Savings of a token follow another feed from an instant on. */
  followApy(token: Token, feed: Feed, fromMs: number): void {
    this.#indices[token].follow(feed, fromMs);
  }

  followPrice(token: Token, feed: Feed): void {
    this.#price = { ...this.#price, [token]: feed };
  }

  /** The changes that come first after an instant; several may fall together. */
  nextChanges(afterMs: number): OracleChange[] {
    const changes: OracleChange[] = [];
    for (const token of TOKENS) {
      const yieldAtMs = this.#indices[token].nextChangeAfter(afterMs);
      if (yieldAtMs !== null) changes.push({ atMs: yieldAtMs, kind: 'yield.changed', token });
      const priceAtMs = this.#price[token].nextChangeAfter(afterMs);
      if (priceAtMs !== null) changes.push({ atMs: priceAtMs, kind: 'price.changed', token });
    }
    const first = Math.min(...changes.map((change) => change.atMs));
    return changes.filter((change) => change.atMs === first);
  }

  mark(): OracleMark {
    return {
      indices: { USDC: this.#indices.USDC.mark(), SOL: this.#indices.SOL.mark() },
      price: this.#price,
      out: this.#out,
    };
  }

  restore(mark: OracleMark): void {
    for (const token of TOKENS) this.#indices[token].restore(mark.indices[token]);
    this.#price = mark.price;
    this.#out = mark.out;
  }
}
