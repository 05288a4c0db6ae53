import { priceE8, ratePpm } from './amounts.js';

/** A point of a series as it is given: its instant, and a decimal. */
export interface GivenPoint {
  readonly at: string | number;
  readonly value: number;
}

interface GivenWalk {
  readonly start: number;
  readonly every: string;
  readonly step: number;
  readonly min?: number;
  readonly max?: number;
}

interface GivenCurve {
  readonly base: number;
  readonly slope1: number;
  readonly slope2: number;
  readonly optimal: number;
  readonly reserveFactor: number;
  readonly utilization: number | { readonly series: readonly GivenPoint[] };
}

/** A source of rates or prices. Source: docs/rates.md. */
export type GivenSource =
  | number
  /** A percentage, for rates only. */
  | string
  | { readonly series: readonly GivenPoint[] }
  | { readonly walk: GivenWalk }
  | { readonly curve: GivenCurve };

/** What is published for a token: the APY of its savings in millionths, or its price in hundred-millionths of a USD. */
export type Kind = 'apy' | 'usd';

/** A value over time, constant between its changes. */
export interface Feed {
  at(atMs: number): bigint;
  /** The next instant at which it may change; null for none. */
  nextAfter(atMs: number): number | null;
}

/** A decimal in the units of a kind. */
export function inUnits(kind: Kind, value: number): bigint {
  return kind === 'apy' ? ratePpm(value) : priceE8(value);
}

export function fixed(value: bigint): Feed {
  return { at: () => value, nextAfter: () => null };
}

/** A value with the instant from which it applies. */
export interface Point {
  readonly atMs: number;
  readonly value: bigint;
}

/** The last point that is not later; before the first, the first. */
export function series(points: readonly Point[]): Feed {
  const sorted = points.toSorted((a, b) => a.atMs - b.atMs);
  return {
    at: (atMs) => ((sorted.findLast((point) => point.atMs <= atMs) ?? sorted[0]) as Point).value,
    nextAfter: (atMs) => sorted.find((point) => point.atMs > atMs)?.atMs ?? null,
  };
}

const MILLION = 1_000_000n;
/** Changes of a walk, at most. Source: docs/rates.md. */
const MOST_STEPS = 100_000;
/** Moves of a walk after which one that always goes the same way is not a walk. */
const ENOUGH_MOVES = 64;
const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A seeded walk: nobody can predict its values, but all of them obey its bounds. They are learned, and never change. */
export class Walk implements Feed {
  readonly #startMs: number;
  readonly #everyMs: number;
  readonly #stepPpm: bigint;
  readonly #min: bigint;
  readonly #max: bigint;
  readonly #values = new Map<number, bigint>();
  #moves = { up: 0, down: 0 };

  constructor({ start, every, step, min, max }: GivenWalk, kind: Kind, startMs: number) {
    this.#startMs = startMs;
    this.#everyMs = Number.parseInt(every, 10) * (UNITS_MS[every.at(-1) ?? ''] ?? Number.NaN);
    this.#stepPpm = BigInt(Math.round(step * 1_000_000));
    this.#min = inUnits(kind, min ?? start / 4);
    this.#max = inUnits(kind, max ?? start * 4);
    this.#values.set(0, inUnits(kind, start));
  }

  at(atMs: number): bigint {
    const value = this.#values.get(this.#stepAt(atMs));
    if (value === undefined) throw new Error(`nobody has told the value of a walk at ${atMs}`);
    return value;
  }

  nextAfter(atMs: number): number | null {
    const step = this.#stepAt(atMs);
    return step < MOST_STEPS ? this.#startMs + (step + 1) * this.#everyMs : null;
  }

  /** Takes what the world says the value is at an instant. Returns what is wrong with it; null for nothing. */
  learn(atMs: number, value: bigint): string | null {
    const step = this.#stepAt(atMs);
    const known = this.#values.get(step);
    if (known !== undefined) return known === value ? null : `its step ${step} was ${known} and is ${value}`;
    this.#values.set(step, value);
    if (value < this.#min || value > this.#max)
      return `its step ${step} is ${value}, beyond its bounds ${this.#min} and ${this.#max}`;
    const before = this.#values.get(step - 1);
    return before === undefined ? null : this.#moved(step, before, value);
  }

  #moved(step: number, before: bigint, value: bigint): string | null {
    const most = (before * this.#stepPpm) / MILLION;
    const move = value > before ? value - before : before - value;
    // From outside its bounds it goes to the nearest.
    const isInside = before >= this.#min && before <= this.#max;
    if (isInside && move > most) return `its step ${step} moves by ${move}, and ${most} is the most`;
    if (value > before) this.#moves.up += 1;
    if (value < before) this.#moves.down += 1;
    const { up, down } = this.#moves;
    return up + down >= ENOUGH_MOVES && Math.min(up, down) === 0
      ? `all of its ${up + down} moves go the same way`
      : null;
  }

  #stepAt(atMs: number): number {
    const step = Math.floor((atMs - this.#startMs) / this.#everyMs);
    return Math.min(MOST_STEPS, Math.max(0, step));
  }
}

const YEAR_SECONDS = 31_536_000n;
const ONE = 10n ** 60n;

/** What savers get at a utilization, compounded by the second, in millionths rounded down. */
function supplyApyPpm(curve: Omit<GivenCurve, 'utilization'>, used: bigint): bigint {
  const ppm = (value: number) => ratePpm(value);
  const [base, slope1, slope2] = [ppm(curve.base), ppm(curve.slope1), ppm(curve.slope2)];
  const optimal = ppm(curve.optimal);
  const kept = MILLION - ppm(curve.reserveFactor);
  const slope =
    used <= optimal
      ? (slope1 * used * ONE) / optimal
      : slope1 * ONE + (slope2 * (used - optimal) * ONE) / (MILLION - optimal);
  // Each of the three shares is in millionths.
  const apr = ((base * ONE + slope) * used * kept) / MILLION ** 3n;
  let [power, square] = [ONE, ONE + apr / YEAR_SECONDS];
  for (let rest = YEAR_SECONDS; rest > 0n; rest /= 2n) {
    if (rest % 2n === 1n) power = (power * square) / ONE;
    square = (square * square) / ONE;
  }
  return ((power - ONE) * MILLION) / ONE;
}

function onCurve({ utilization, ...rates }: GivenCurve): Feed {
  const used = typeof utilization === 'number' ? fixed(ratePpm(utilization)) : given('apy', utilization, 0);
  const known = new Map<bigint, bigint>();
  return {
    at: (atMs) => {
      const share = used.at(atMs);
      const apy = known.get(share) ?? supplyApyPpm(rates, share);
      known.set(share, apy);
      return apy;
    },
    nextAfter: (atMs) => used.nextAfter(atMs),
  };
}

/** Milliseconds of an instant of a series. */
export function instantMs(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

/** A percentage as text, in millionths. */
function percentPpm(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('%', '').trim().split('.');
  return BigInt(`${whole}${fraction.padEnd(4, '0')}`);
}

export function given(kind: Kind, source: GivenSource, startMs: number): Feed {
  if (typeof source === 'number') return fixed(inUnits(kind, source));
  if (typeof source === 'string') return fixed(percentPpm(source));
  if ('series' in source)
    return series(
      source.series.map(({ at, value }) => ({ atMs: instantMs(at), value: inUnits(kind, value) })),
    );
  return 'walk' in source ? new Walk(source.walk, kind, startMs) : onCurve(source.curve);
}

/** The highest rate or price. Source: docs/rates.md. */
const MOST = 1e9;

/** Whether a source is refused: a walk that may go too high, or a curve beyond the bounds of its protocol. Source: docs/rates.md. */
export function isImpossible(source: GivenSource): boolean {
  if (typeof source === 'object' && 'walk' in source)
    return (source.walk.max ?? 4 * source.walk.start) > MOST;
  if (typeof source !== 'object' || !('curve' in source)) return false;
  const { base, slope1, slope2, optimal } = source.curve;
  return (
    optimal < 0.01 ||
    optimal > 0.99 ||
    slope2 < slope1 ||
    ratePpm(base) + ratePpm(slope1) + ratePpm(slope2) > 10n * MILLION
  );
}

const COLUMNS = {
  usdc_apy: ['apy', 'USDC'],
  sol_apy: ['apy', 'SOL'],
  usdc_usd: ['usd', 'USDC'],
  sol_usd: ['usd', 'SOL'],
} as const;
type Column = keyof typeof COLUMNS;

/** What the columns of a series file are about. */
export const SERIES_VALUES = Object.values(COLUMNS).map(([kind, token]) => ({ kind, token }));

/** A decimal as text in the units of a kind, rounded half up. */
function textUnits(kind: Kind, text: string): bigint {
  const digits = kind === 'apy' ? 6 : 8;
  const [whole = '', fraction = ''] = text.split('.');
  const all = BigInt(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  return (fraction[digits] ?? '0') >= '5' ? all + 1n : all;
}

export interface SeriesColumn {
  readonly kind: Kind;
  readonly token: 'USDC' | 'SOL';
  readonly points: readonly Point[];
}

function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim());
}

/** What is shown of a header that cannot be read. */
const MOST_SHOWN = 60;

/** What names the first line of a series file that cannot be read; null if all can. */
function unreadable([first = '', ...lines]: readonly string[]): readonly string[] | null {
  const [time, ...columns] = cellsOf(first);
  if (time !== 'time' || columns.length === 0 || columns.some((name) => !Object.hasOwn(COLUMNS, name)))
    return ['line 1', first.slice(0, MOST_SHOWN)];
  const at = lines.findIndex((line) => {
    const [instant = '', ...cells] = cellsOf(line);
    const isReadable =
      !Number.isNaN(Date.parse(instant)) &&
      cells.length === columns.length &&
      cells.every((cell) => /^(\d+(\.\d+)?)?$/.test(cell));
    return line.trim() !== '' && !isReadable;
  });
  return at < 0 ? null : [`line ${at + 2}`];
}

/** A series file by what it changes, or what names a line that cannot be read. Source: docs/rates.md. */
export function seriesFile(
  csv: string,
): { readonly columns: readonly SeriesColumn[] } | { readonly wrong: readonly string[] } {
  const lines = csv.split('\n');
  const wrong = unreadable(lines);
  if (wrong !== null) return { wrong };
  const [header = [], ...rows] = lines.filter((line) => line.trim() !== '').map(cellsOf);
  const columns = header.slice(1).map((name, place) => {
    const [kind, token] = COLUMNS[name as Column];
    const points = rows.flatMap((row) => {
      const cell = row[place + 1] ?? '';
      return cell === '' ? [] : [{ atMs: Date.parse(row[0] ?? ''), value: textUnits(kind, cell) }];
    });
    return { kind, token, points };
  });
  return { columns };
}

/** A series as JSON by what it changes. */
export function seriesByColumn(
  columns: Readonly<Record<string, readonly GivenPoint[]>>,
): readonly SeriesColumn[] {
  return Object.entries(columns).map(([name, all]) => {
    const [kind, token] = COLUMNS[name as Column];
    const points = all.map(({ at, value }) => ({ atMs: instantMs(at), value: inUnits(kind, value) }));
    return { kind, token, points };
  });
}
