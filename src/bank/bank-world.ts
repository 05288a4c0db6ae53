import type { Env } from '../core/domain/ports.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { Cell } from '../core/snapshot.js';
import type { Clock } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import { type ReviewPolicy, reviewTiming } from '../world/reviewer.js';
import type { AuthLifetimes } from './auth.js';

/** The part of `Env` that is constant for a bank. */
export interface BankConstants extends Pick<
  Env,
  'salt' | 'variants' | 'terms' | 'treasury' | 'withdrawalDelayMs' | 'maxOpenApplications'
> {
  /** How long challenges and tokens are valid. */
  readonly lifetimes: AuthLifetimes;
}

/** The world around a bank, as its decisions see it. */
export class BankWorld {
  readonly constants: BankConstants;
  readonly policy: Cell<ReviewPolicy>;
  readonly #clock: Clock;
  readonly #oracle: Oracle;

  constructor(parts: { constants: BankConstants; clock: Clock; oracle: Oracle; policy: ReviewPolicy }) {
    this.constants = parts.constants;
    this.policy = new Cell(parts.policy);
    this.#clock = parts.clock;
    this.#oracle = parts.oracle;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** The environment of a decision, now or at a past instant. Rates and prices are looked up on demand. */
  env({ trouble }: RequestContext = NO_REQUEST, nowMs = this.nowMs()): Env {
    const oracle = this.#oracle;
    const policy = this.policy.value;
    return {
      nowMs,
      oracleIsOut: () => {
        if (trouble?.oracleIsOut !== true) return oracle.isOut();
        trouble.onFired('oracleIsOut');
        return true;
      },
      stalePrice: () => oracle.stalePrice(nowMs),
      yieldIndex: (token) => oracle.yieldIndex(token, nowMs),
      priceE8: (token) => oracle.priceE8(token, nowMs),
      apyPpm: (token) => oracle.apyPpm(token, nowMs),
      reviewTiming: () => reviewTiming(policy, nowMs),
      // Last: V8 takes a hundred times as long to add members to a copy.
      ...this.constants,
    };
  }
}
