import { hash } from 'node:crypto';
import { firstWhere } from '../core/bisect.js';

/** A value over time, constant between its changes. */
export interface TimeVaryingValue {
  at(atMs: number): bigint;
  /** The first change after an instant; null when none follows. */
  nextChangeAfter(atMs: number): number | null;
}

/** A value over time with the source that `feedFrom` recreates it from. */
export interface Feed extends TimeVaryingValue {
  readonly source: FeedSource;
}

export function fixedFeed(value: bigint): Feed {
  return { at: () => value, nextChangeAfter: () => null, source: { kind: 'fixed', value } };
}

/** A value that applies from an instant on. */
export interface FeedPoint {
  readonly atMs: number;
  readonly value: bigint;
}

export type FeedSource =
  | { readonly kind: 'fixed'; readonly value: bigint }
  | { readonly kind: 'series'; readonly points: readonly FeedPoint[] }
  | ({ readonly kind: 'walk' } & Walk);

/** A value that changes at given instants; before the first point, its value applies. Throws RangeError without points. */
export function seriesFeed(points: readonly FeedPoint[]): Feed {
  const sorted = points.toSorted((a, b) => a.atMs - b.atMs);
  const first = sorted[0];
  if (first === undefined) throw new RangeError('a series needs at least one point');
  const indexAt = (atMs: number): number =>
    firstWhere(sorted.length, (at) => (sorted[at] as FeedPoint).atMs > atMs) - 1;
  return {
    at: (atMs) => (sorted[indexAt(atMs)] ?? first).value,
    nextChangeAfter: (atMs) => sorted[indexAt(atMs) + 1]?.atMs ?? null,
    source: { kind: 'series', points: sorted },
  };
}

/** Maximum steps of a walk: each depends on all before it, and advancing a yield index by one takes microseconds. */
export const LONGEST_WALK = 100_000;

/** A seeded random walk: every `everyMs` the value changes by up to `stepPpm` of itself, within bounds, for `LONGEST_WALK` steps. */
export interface Walk {
  readonly seed: string;
  readonly startMs: number;
  readonly start: bigint;
  readonly everyMs: number;
  readonly stepPpm: number;
  readonly min: bigint;
  readonly max: bigint;
}

// A digest as a text takes half the time of one as a Buffer.
function firstUInt32(bytes: string): number {
  const byte = (at: number): number => bytes.charCodeAt(at);
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0;
}

/** The walk as a feed. Equal seeds give equal walks; computed steps are cached. Throws RangeError without an interval. */
export function walkFeed(walk: Walk): Feed {
  if (!(walk.everyMs >= 1)) throw new RangeError('a walk needs an interval of at least a millisecond');
  const values = [walk.start];
  const valueOf = (step: number): bigint => {
    for (let next = values.length; next <= step; next += 1) {
      const random = firstUInt32(hash('sha256', `${walk.seed}/${next}`, 'binary'));
      const movePpm = BigInt(Math.round((random / 0xffffffff) * 2 * walk.stepPpm) - walk.stepPpm);
      const last = values[next - 1] as bigint;
      const moved = last + (last * movePpm) / 1_000_000n;
      values.push(moved < walk.min ? walk.min : moved > walk.max ? walk.max : moved);
    }
    return values[step] as bigint;
  };
  const stepAt = (atMs: number): number =>
    Math.min(LONGEST_WALK, Math.max(0, Math.floor((atMs - walk.startMs) / walk.everyMs)));
  return {
    at: (atMs) => valueOf(stepAt(atMs)),
    nextChangeAfter: (atMs) => {
      const step = stepAt(atMs);
      return step < LONGEST_WALK ? walk.startMs + (step + 1) * walk.everyMs : null;
    },
    source: { kind: 'walk', ...walk },
  };
}
