import { TOKENS } from '../money.js';
import type { Env } from '../ports.js';
import { ok, refuse } from '../result.js';
import { decimalRate, percentText } from '../views.js';

export const PROTOCOL_NAME = 'simulated-lending';

/** The rates that savings earn now; refuses `oracle_unavailable` while the oracle is down. */
export function yieldRates(env: Env) {
  if (env.oracleIsOut()) return refuse('oracle_unavailable');
  const rates = TOKENS.map((token) => {
    const ppm = env.apyPpm(token);
    return { token, apy: percentText(ppm), apyDecimal: decimalRate(ppm) };
  });
  return ok({ protocol: PROTOCOL_NAME, rates });
}
