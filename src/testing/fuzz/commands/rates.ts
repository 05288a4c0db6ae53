import type { ModelToken } from '../model/types.js';
import type { Random } from '../random.js';
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
function later(random: Random, nowMs: number): { in?: string; from?: string } {
  if (random.chance(15)) return { in: random.pick(DELAYS) };
  return random.chance(8) ? { from: new Date(nowMs + random.pick(OFFSETS)).toISOString() } : {};
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  weight: 1.5,
  draw: (random, { world }) => {
    const token = random.chance(75) ? 'SOL' : 'USDC';
    return {
      do: 'setPrice',
      with: { token, usd: random.pick(PRICES[token]), ...later(random, world.nowMs()) },
    };
  },
  play: ({ with: { usd, ...args } }, runner) =>
    operate({ command: 'setPrice', body: { ...args, source: usd } }, runner),
};

export const SET_APY: Command = {
  name: 'setApy',
  weight: 2,
  draw: (random, { world }) => {
    const apy = random.chance(85) ? random.pick(APYS) : random.pick(PERCENTAGES);
    return {
      do: 'setApy',
      with: { token: random.pick(['USDC', 'SOL']), apy, ...later(random, world.nowMs()) },
    };
  },
  play: ({ with: { apy, ...args } }, runner) =>
    operate({ command: 'setApy', body: { ...args, source: apy } }, runner),
};

/** Oracle outage, stale data, and recovery: recovery is more frequent, or little else would be reached. */
export const ORACLE: Command = {
  name: 'oracle',
  weight: 1,
  draw: (random) => ({
    do: 'oracle',
    with: { state: random.pick(['out', 'fresh', 'fresh', 'stale', 'fresh']) },
  }),
  play: async ({ with: { state } }, runner) => {
    const out = await operate({ command: 'setOutage', body: { out: state === 'out' } }, runner);
    return out.deviation === null
      ? operate({ command: 'setStale', body: { stale: state === 'stale' } }, runner)
      : out;
  },
};
