import fc from 'fast-check';
import type { ModelToken } from '../model/types.js';
import { type Draw, chance, composed } from '../draw.js';
import type { Command } from './command.js';
import { operate } from './operate.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Prices, with the highest and the lowest that can be set. */
const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001, 1e9, 1e-8],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99, 1e9, 1e-8],
};
/** Rates as people write them. */
const PERCENTAGES = ['5.2%', ' 0.29 %', '0%', '100%', '1.75%'];
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 2.5, 0.000001, 10];
/** When a change takes effect, from now. */
const OFFSETS = [-DAY, 0, 1, 999, 1_000, HOUR, DAY, DAY + 1, 30 * DAY, 365 * DAY];
const DELAYS = ['1ms', '90s', '1h', '1d', '30d'];

/** Mostly from now on, seldom from an instant that may have passed. */
function later(draw: Draw, nowMs: number): { in?: string; from?: string } {
  if (draw(chance(15))) return { in: draw(fc.constantFrom(...DELAYS)) };
  return draw(chance(8)) ? { from: new Date(nowMs + draw(fc.constantFrom(...OFFSETS))).toISOString() } : {};
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  weight: 1.5,
  draw: ({ world }) =>
    composed((draw) => {
      const token = draw(chance(75)) ? 'SOL' : 'USDC';
      return {
        do: 'setPrice',
        with: { token, usd: draw(fc.constantFrom(...PRICES[token])), ...later(draw, world.nowMs()) },
      };
    }),
  play: ({ with: { usd, ...args } }, runner) =>
    operate({ command: 'setPrice', body: { ...args, source: usd } }, runner),
};

export const SET_APY: Command = {
  name: 'setApy',
  weight: 2,
  draw: ({ world }) =>
    composed((draw) => {
      const apy = draw(chance(85)) ? draw(fc.constantFrom(...APYS)) : draw(fc.constantFrom(...PERCENTAGES));
      return {
        do: 'setApy',
        with: { token: draw(fc.constantFrom('USDC', 'SOL')), apy, ...later(draw, world.nowMs()) },
      };
    }),
  play: ({ with: { apy, ...args } }, runner) =>
    operate({ command: 'setApy', body: { ...args, source: apy } }, runner),
};

/** Oracle outage, stale data, and recovery: recovery is more frequent, or little else would be reached. */
export const ORACLE: Command = {
  name: 'oracle',
  weight: 1,
  draw: () =>
    fc
      .constantFrom('out', 'fresh', 'fresh', 'stale', 'fresh')
      .map((state) => ({ do: 'oracle', with: { state } })),
  play: async ({ with: { state } }, runner) => {
    const out = await operate({ command: 'setOutage', body: { out: state === 'out' } }, runner);
    return out.deviation === null
      ? operate({ command: 'setStale', body: { stale: state === 'stale' } }, runner)
      : out;
  },
};
