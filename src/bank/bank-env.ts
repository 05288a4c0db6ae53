import type { BankTerms } from '../core/domain/bank-terms.js';
import type { Env } from '../core/domain/ports.js';
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
export interface BankEnv extends Env, BankConstants {
  readonly stalePrice: StalePrice | null;
}

/** The environment of a decision. Rates and prices are looked up when they are asked for. */
export function bankEnv(
  constants: BankConstants,
  world: { nowMs: number; oracle: Oracle; policy: ReviewPolicy; oracleIsOut: boolean },
): BankEnv {
  const { nowMs, oracle, policy } = world;
  return {
    ...constants,
    nowMs,
    get oracleIsOut() {
      return world.oracleIsOut || oracle.isOut();
    },
    get stalePrice() {
      return oracle.stalePrice(nowMs);
    },
    yieldIndex: (token) => oracle.yieldIndex(token, nowMs),
    priceE8: (token) => oracle.priceE8(token, nowMs),
    apyPpm: (token) => oracle.apyPpm(token, nowMs),
    reviewTiming: () => reviewTiming(policy, nowMs),
  };
}
