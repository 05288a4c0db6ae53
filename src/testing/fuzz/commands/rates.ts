import type { ModelToken } from '../model/types.js';
import type { Random } from '../random.js';
import type { Args, Json } from '../step.js';
import type { Command } from './command.js';
import { operate } from './operate.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Prices, with the highest and the lowest that can be set. */
const PRICES: Readonly<Record<ModelToken, readonly number[]>> = {
  USDC: [1, 1, 0.99, 1.01, 0.5, 1.00000001, 1e9, 1e-8],
  SOL: [150, 150, 149.99999999, 33.33333333, 1_000, 0.01, 99_999.99, 1e9, 1e-8],
};
/** A walk that begins here may reach more than the highest price. */
const TOO_HIGH = 300_000_000;
/** Rates as people write them. */
const PERCENTAGES = ['5.2%', ' 0.29 %', '0%', '100%', '1.75%'];
const APYS = [0, 0.017, 0.052, 0.05, 0.1, 1, 2.5, 0.000001, 10];
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
  const bounds =
    start === TOO_HIGH
      ? {}
      : random.pick([{}, {}, { min: start, max: start * 1.1 }, { min: 0 }, { max: start }]);
  const step = random.pick([0.02, 0.3, 1]);
  return { walk: { start, every: random.pick(every), step, ...bounds } };
}

/** Curves of a lending protocol, few of them beyond its bounds. */
function curveOf(random: Random, nowMs: number): Json {
  const shares = [0, 0.45, 0.9, 0.900001, 1];
  const isSound = random.chance(85);
  const curve = {
    base: random.pick([0, 0.02]),
    slope1: random.pick([0.04, 0.1]),
    slope2: random.pick(isSound ? [0.6, 0.1, 0.3] : [0.03, 11]),
    optimal: random.pick(isSound ? [0.9, 0.9, 0.5, 0.01, 0.99] : [0.005, 0.9]),
    reserveFactor: random.pick([0.1, 0.1, 0, 1]),
    utilization: random.chance(60) ? random.pick(shares) : seriesOf(random, nowMs, shares),
  };
  return { curve };
}

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
    const values = PRICES[token];
    const how = random.below(100);
    const usd =
      how < 75
        ? random.pick(values)
        : how < 87
          ? seriesOf(random, world.nowMs(), values)
          : walkOf(random, random.chance(95) ? random.pick(values) : TOO_HIGH, ['12h', '1d', '7d']);
    return { do: 'setPrice', with: { token, usd, ...later(random, world.nowMs()) } };
  },
  play: ({ with: { usd, ...args } }, runner) =>
    operate({ command: 'setPrice', body: { ...args, source: usd } }, runner),
};

export const SET_APY: Command = {
  name: 'setApy',
  weight: 2,
  draw: (random, { world }) => {
    const how = random.below(100);
    const apy =
      how < 38
        ? random.pick(APYS)
        : how < 46
          ? random.pick(PERCENTAGES)
          : how < 58
            ? seriesOf(random, world.nowMs(), APYS)
            : how < 68
              ? walkOf(random, random.pick(APYS.slice(1)), ['30d', '90d'])
              : curveOf(random, world.nowMs());
    return {
      do: 'setApy',
      with: { token: random.pick(['USDC', 'SOL']), apy, ...later(random, world.nowMs()) },
    };
  },
  play: ({ with: { apy, ...args } }, runner) =>
    operate({ command: 'setApy', body: { ...args, source: apy } }, runner),
};

/** Cells of a series file: decimals with more digits than are kept too, and nothing for an unchanged value. */
const CELLS: Readonly<Record<string, readonly string[]>> = {
  usdc_apy: ['0.017', '0', '0.0499995', '0.1', '2.5', ''],
  sol_apy: ['0.052', '0.00000049', '1', ''],
  usdc_usd: ['1', '0.999999995', '1.01', ''],
  sol_usd: ['150', '33.333333333333', '99999.99', ''],
};
/** Ways to write a series that mean the same: as JSON, with other ends of lines, empty lines or spaces. */
const WAYS = ['json', 'crlf', 'blank', 'spaces'] as const;
/** What makes a series file unreadable, and in which line. */
const FLAWS = ['column', 'time', 'cells', 'instant', 'decimal', 'exponent'] as const;
/** How a series is written, unless it is a plain file. */
export const SERIES_FORMS = [...WAYS, ...FLAWS] as const;
type SeriesForm = (typeof SERIES_FORMS)[number];

/** Notations of instants. */
const ZONES = [
  { zone: 'Z', ms: 0 },
  { zone: '+02:00', ms: 2 * HOUR },
] as const;

/** A series file. */
export const SERIES: Command = {
  name: 'series',
  weight: 1,
  draw: (random, { world }) => {
    const nowMs = world.nowMs();
    const columns = Object.keys(CELLS).filter(() => random.chance(50));
    if (columns.length === 0) return null;
    const { zone, ms } = random.pick(ZONES);
    const rows = Array.from({ length: 1 + random.below(4) }, () => {
      const at = new Date(nowMs + random.pick(OFFSETS) + ms).toISOString().replace('Z', zone);
      return [at, ...columns.map((column) => random.pick(CELLS[column] as readonly string[]))];
    });
    const how = random.below(100);
    const form = how < 50 ? {} : { form: random.pick(how < 88 ? WAYS : FLAWS) };
    return { do: 'series', with: { columns, rows, ...form, ...later(random, nowMs) } };
  },
  play: ({ with: args }, runner) => operate({ command: 'loadSeries', body: seriesBody(args) }, runner),
};

/** The body of a command to follow a series. */
export function seriesBody({ columns, rows, form, ...when }: Args): Record<string, Json> {
  const given = { columns: columns as string[], rows: rows as string[][] };
  const series =
    form === 'json'
      ? { series: byColumn(given) }
      : { csv: csvOf(given, (form ?? null) as SeriesForm | null) };
  return { ...series, ...(when as Record<string, Json>) };
}

interface SeriesTable {
  readonly columns: readonly string[];
  /** An instant, and a cell for each column. */
  readonly rows: readonly (readonly string[])[];
}

/** A series as JSON. A column without values would be refused: it is there only when all are. */
function byColumn({ columns, rows }: SeriesTable): Json {
  const all = columns.map((column, place) => {
    const points = rows.map(([at = '', ...cells]) => ({ at, value: cells[place] ?? '' }));
    return [column, points.filter(({ value }) => value !== '')] as const;
  });
  const given = all.filter(([, points]) => points.length > 0);
  return Object.fromEntries(
    (given.length > 0 ? given : all).map(([column, points]) => [
      column,
      points.map(({ at, value }) => ({ at, value: Number(value) })),
    ]),
  );
}

/** The text of a series file. */
function csvOf({ columns, rows }: SeriesTable, form: SeriesForm | null): string {
  const header = ['time', ...columns];
  const last = [...(rows.at(-1) as readonly string[])];
  switch (form) {
    case 'column':
      header.push('eur_usd');
      break;
    case 'time':
      header[0] = 'when';
      break;
    case 'cells':
      last.push('1');
      break;
    case 'instant':
      last[0] = 'tomorrow';
      break;
    case 'decimal':
      last[1] = '-1';
      break;
    case 'exponent':
      last[1] = '1e3';
      break;
    default:
  }
  const lines = [header, ...rows.slice(0, -1), last];
  if (form === 'spaces') return lines.map((cells) => ` ${cells.join(' , ')} \n`).join('');
  const end = form === 'crlf' ? '\r\n' : form === 'blank' ? '\n\n' : '\n';
  return lines.map((cells) => cells.join(',') + end).join('');
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
  weight: 1,
  draw: (random, { world }) => {
    const ago = random.chance(70)
      ? { from: new Date(world.nowMs() - Math.abs(random.pick(OFFSETS))).toISOString() }
      : {};
    const limit = random.chance(30) ? { limit: String(1 + random.below(5)) } : {};
    const until = random.chance(20)
      ? { to: new Date(world.nowMs() + random.pick(OFFSETS)).toISOString() }
      : {};
    const of = { token: random.pick(['USDC', 'SOL']), kind: random.pick(['apy', 'usd']) };
    const isFile = random.chance(40);
    const what = isFile ? random.pick([of, {}, { token: of.token }, { kind: of.kind }]) : of;
    return { do: 'history', with: { ...what, ...ago, ...until, ...limit, ...(isFile ? { csv: true } : {}) } };
  },
  play: ({ with: { csv, ...query } }, runner) => {
    const command = csv === true ? 'oracleHistoryCsv' : 'oracleHistory';
    return operate({ command, query: query as Record<string, string> }, runner);
  },
};
