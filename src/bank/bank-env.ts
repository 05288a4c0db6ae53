import type { Env } from '../core/domain/ports.js';
import type { Oracle } from '../world/oracle.js';
import type { AuthLifetimes } from './auth.js';
import { type ReviewPolicy, reviewTiming } from '../world/reviewer.js';

/** The part of `Env` that is constant for a bank. */
export interface BankConstants extends Pick<
  Env,
  'salt' | 'variants' | 'terms' | 'treasury' | 'withdrawalDelayMs' | 'maxOpenApplications'
> {
  /** How long challenges and tokens are valid. */
  readonly lifetimes: AuthLifetimes;
}

/** The environment of a decision. Rates and prices are looked up on demand. */
export function bankEnv(
  constants: BankConstants,
  world: { nowMs: number; oracle: Oracle; policy: ReviewPolicy; oracleIsOut: boolean },
): Env {
  const { nowMs, oracle, policy } = world;
  return {
    nowMs,
    oracleIsOut: world.oracleIsOut || oracle.isOut(),
    stalePrice: () => oracle.stalePrice(nowMs),
    yieldIndex: (token) => oracle.yieldIndex(token, nowMs),
    priceE8: (token) => oracle.priceE8(token, nowMs),
    apyPpm: (token) => oracle.apyPpm(token, nowMs),
    reviewTiming: () => reviewTiming(policy, nowMs),
    // Last: V8 takes a hundred times as long to add members to a copy.
    ...constants,
  };
}
