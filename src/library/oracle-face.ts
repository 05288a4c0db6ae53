import { Amount, type Token } from '../domain/money.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import { type ValueSource, feedOf } from '../world/sources.js';

/** Rates and prices in human units. */
export class OracleFace {
  readonly #oracle: Oracle;
  readonly #clock: Clock;
  readonly #seed: string;

  constructor(oracle: Oracle, clock: Clock, seed: string) {
    this.#oracle = oracle;
    this.#clock = clock;
    this.#seed = seed;
  }

  /** Savings of a token earn this APY from now on: 0.017 is 1.7 %. */
  setApy(token: Token, source: ValueSource): void {
    const startMs = this.#clock.nowMs();
    const seed = `${this.#seed}/apy/${token}/${startMs}`;
    this.#oracle.followApy(token, feedOf(source, { digits: 6, seed, startMs }), startMs);
  }

  /** A token is worth this many USD from now on. */
  setPrice(token: Token, source: ValueSource): void {
    const startMs = this.#clock.nowMs();
    const seed = `${this.#seed}/usd/${token}/${startMs}`;
    this.#oracle.followPrice(token, feedOf(source, { digits: 8, seed, startMs }));
  }

  /** While the source is out, rates are not told and nothing can be priced; savings go on at the last rate. */
  setOutage(out: boolean): void {
    this.#oracle.setOut(out);
  }

  isOut(): boolean {
    return this.#oracle.isOut();
  }

  apy(token: Token): number {
    return new Amount(this.#oracle.apyPpm(token, this.#clock.nowMs()), 6).toNumber();
  }

  price(token: Token): number {
    return new Amount(this.#oracle.priceE8(token, this.#clock.nowMs()), 8).toNumber();
  }
}
