import type { ModelToken } from '../model/types.js';
import type { Random } from '../random.js';
import type { Json } from '../step.js';
import type { Command } from './command.js';
import { operate } from './operate.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99],
};
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 0.000001];
/** When points of a series lie from now, and how long ago a history begins. */
const OFFSETS = [-DAY, 0, 1, 999, 1_000, HOUR, DAY, DAY + 1, 30 * DAY, 365 * DAY];
const DELAYS = ['1ms', '90s', '1h', '1d', '30d'];

function seriesOf(random: Random, nowMs: number, values: readonly number[]): Json {
  const count = 1 + random.below(4);
  const points = Array.from({ length: count }, () => ({
    at: new Date(nowMs + random.pick(OFFSETS)).toISOString(),
    value: random.pick(values),
  }));
  return { series: points };
}

/** Walks that change seldom: a jump of ten years passes all of their steps. */
function walkOf(random: Random, start: number, every: readonly string[]): Json {
  const bounds = random.pick([{}, {}, { min: start, max: start * 1.1 }, { min: 0 }, { max: start }]);
  const step = random.pick([0.02, 0.3, 1]);
  return { walk: { start, every: random.pick(every), step, ...bounds } };
}

/** Curves of a lending protocol, some beyond its bounds. */
function curveOf(random: Random, nowMs: number): Json {
  const shares = [0, 0.45, 0.9, 0.900001, 1];
  const curve = {
    base: random.pick([0, 0.02]),
    slope1: random.pick([0.04, 0.1]),
    slope2: random.pick([0.6, 0.1, 0.3, 0.03, 11]),
    optimal: random.pick([0.9, 0.9, 0.5, 0.01, 0.99, 0.005]),
    reserveFactor: random.pick([0.1, 0, 1]),
    utilization: random.chance(60) ? random.pick(shares) : seriesOf(random, nowMs, shares),
  };
  return { curve };
}

/** Mostly a fixed value from now on. */
function later(random: Random): { in?: string } {
  return random.chance(20) ? { in: random.pick(DELAYS) } : {};
}

export const SET_PRICE: Command = {
  name: 'setPrice',
  weight: 1,
  draw: (random, { world }) => {
    const token = random.chance(75) ? 'SOL' : 'USDC';
    const values = PRICES[token];
    const how = random.below(100);
    const usd =
      how < 75
        ? random.pick(values)
        : how < 87
          ? seriesOf(random, world.nowMs(), values)
          : walkOf(random, random.pick(values), ['12h', '1d', '7d']);
    return { do: 'setPrice', with: { token, usd, ...later(random) } };
  },
  play: ({ with: { usd, ...args } }, runner) =>
    operate({ command: 'setPrice', body: { ...args, source: usd } }, runner),
};

export const SET_APY: Command = {
  name: 'setApy',
  weight: 1,
  draw: (random, { world }) => {
    const how = random.below(100);
    const apy =
      how < 60
        ? random.pick(APYS)
        : how < 72
          ? seriesOf(random, world.nowMs(), APYS)
          : how < 82
            ? walkOf(random, random.pick(APYS.slice(1)), ['30d', '90d'])
            : curveOf(random, world.nowMs());
    return { do: 'setApy', with: { token: random.pick(['USDC', 'SOL']), apy, ...later(random) } };
  },
  play: ({ with: { apy, ...args } }, runner) =>
    operate({ command: 'setApy', body: { ...args, source: apy } }, runner),
};

/** Cells of a series file: decimals with more digits than are kept too, and nothing for an unchanged value. */
const CELLS: Readonly<Record<string, readonly string[]>> = {
  usdc_apy: ['0.017', '0', '0.0499995', '0.1', ''],
  sol_apy: ['0.052', '0.00000049', '1', ''],
  usdc_usd: ['1', '0.999999995', '1.01', ''],
  sol_usd: ['150', '33.333333333333', '99999.99', ''],
};
/** Notations of instants. */
const ZONES = [
  { zone: 'Z', ms: 0 },
  { zone: '+02:00', ms: 2 * HOUR },
] as const;

/** A series file. */
export const SERIES: Command = {
  name: 'series',
  weight: 0.5,
  draw: (random, { world }) => {
    const nowMs = world.nowMs();
    const columns = Object.keys(CELLS).filter(() => random.chance(50));
    if (columns.length === 0) return null;
    const { zone, ms } = random.pick(ZONES);
    const rows = Array.from({ length: 1 + random.below(4) }, () => {
      const at = new Date(nowMs + random.pick(OFFSETS) + ms).toISOString().replace('Z', zone);
      return [at, ...columns.map((column) => random.pick(CELLS[column] as readonly string[]))];
    });
    return { do: 'series', with: { columns, rows, ...later(random) } };
  },
  play: ({ with: { columns, rows, ...args } }, runner) =>
    operate({ command: 'loadSeries', body: { csv: csvOf({ columns, rows }), ...args } }, runner),
};

/** The text of a series file. */
export function csvOf({
  columns,
  rows,
}: {
  readonly columns?: Json | undefined;
  readonly rows?: Json | undefined;
}): string {
  const lines = [['time', ...(columns as string[])], ...(rows as string[][])];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}

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

/** What a value was, page by page. */
export const HISTORY: Command = {
  name: 'history',
  weight: 0.5,
  draw: (random, { world }) => {
    const ago = random.chance(70)
      ? { from: new Date(world.nowMs() - Math.abs(random.pick(OFFSETS))).toISOString() }
      : {};
    const limit = random.chance(30) ? { limit: String(1 + random.below(5)) } : {};
    const of = { token: random.pick(['USDC', 'SOL']), kind: random.pick(['apy', 'usd']) };
    return { do: 'history', with: { ...of, ...ago, ...limit } };
  },
  play: ({ with: query }, runner) =>
    operate({ command: 'oracleHistory', query: query as Record<string, string> }, runner),
};
