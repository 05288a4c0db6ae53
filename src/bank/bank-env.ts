import type { BankTerms } from '../core/domain/bank-terms.js';
import type { Env, ReviewTiming } from '../core/domain/ports.js';
import type { Token } from '../core/domain/money.js';
import type { Variants } from '../core/domain/variants.js';
import type { Oracle, StalePrice } from '../world/oracle.js';
import type { AuthLifetimes } from './auth.js';
import { type ReviewPolicy, reviewTiming } from '../world/reviewer.js';

/** The part of `Env` that is constant for a bank. */
export interface BankConstants {
  readonly salt: number;
  readonly variants: Variants;
  readonly terms: BankTerms;
  /** How long challenges and tokens are valid. */
  readonly lifetimes: AuthLifetimes;
  readonly treasury: string;
  readonly withdrawalDelayMs: number;
  /** Maximum number of undecided credit applications of an agent. */
  readonly maxOpenApplications: number;
}

/** The world at one instant, as input of decisions. */
export class BankEnv implements Env {
  readonly nowMs: number;
  readonly salt: number;
  readonly variants: Variants;
  readonly terms: BankTerms;
  readonly treasury: string;
  readonly withdrawalDelayMs: number;
  readonly maxOpenApplications: number;
  readonly #oracle: Oracle;
  readonly #policy: ReviewPolicy;
  readonly #oracleIsOut: boolean;

  constructor(
    constants: BankConstants,
    world: { nowMs: number; oracle: Oracle; policy: ReviewPolicy; oracleIsOut: boolean },
  ) {
    this.nowMs = world.nowMs;
    this.salt = constants.salt;
    this.variants = constants.variants;
    this.terms = constants.terms;
    this.treasury = constants.treasury;
    this.withdrawalDelayMs = constants.withdrawalDelayMs;
    this.maxOpenApplications = constants.maxOpenApplications;
    this.#oracle = world.oracle;
    this.#policy = world.policy;
    this.#oracleIsOut = world.oracleIsOut;
  }

  get oracleIsOut(): boolean {
    return this.#oracleIsOut || this.#oracle.isOut();
  }

  get stalePrice(): StalePrice | null {
    return this.#oracle.stalePrice(this.nowMs);
  }

  yieldIndex(token: Token): bigint {
    return this.#oracle.yieldIndex(token, this.nowMs);
  }

  priceE8(token: Token): bigint {
    return this.#oracle.priceE8(token, this.nowMs);
  }

  apyPpm(token: Token): bigint {
    return this.#oracle.apyPpm(token, this.nowMs);
  }

  reviewTiming(): ReviewTiming {
    return reviewTiming(this.#policy, this.nowMs);
  }
}
