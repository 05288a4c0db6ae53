import { secondsOf } from '../core/domain/calendar.js';
import { Growth, RAY } from '../core/domain/rates.js';
import type { TimeVaryingValue } from './feed.js';

/** A yield index at one instant, as a value: it was `indexRay` at `atMs` and has followed `apy` since. */
export interface YieldIndexSnapshot {
  readonly apy: TimeVaryingValue;
  readonly atMs: number;
  readonly indexRay: bigint;
  /** The rate did not change between `atMs` and this instant, even where the feed might have changed it. */
  readonly passedMs: number;
}

/**
 * The index of one token's savings, compounding the APY by the second. It advances from one change of the APY to the
 * next in closed form. Ten years at one rate cost as much as ten seconds.
 */
export class YieldIndex {
  #snapshot: YieldIndexSnapshot;
  #cached: { atSeconds: bigint; indexRay: bigint } | null = null;

  constructor(apy: TimeVaryingValue, startMs: number) {
    this.#snapshot = { apy, atMs: startMs, indexRay: RAY, passedMs: startMs };
  }

  /** The index (a ray) at an instant that is not before the last change that was passed. It passes none: what is due may still need an earlier one. */
  at(atMs: number): bigint {
    const atSeconds = secondsOf(atMs);
    if (this.#cached?.atSeconds === atSeconds) return this.#cached.indexRay;
    const { apy, atMs: sinceMs, indexRay: before } = passed(this.#snapshot, atMs);
    const indexRay = grown(before, apy.at(sinceMs), { sinceMs, atMs });
    this.#cached = { atSeconds, indexRay };
    return indexRay;
  }

  /** Switches to another feed that is identical before `fromMs`. */
  follow(apy: TimeVaryingValue, fromMs: number): void {
    this.#snapshot = { ...this.#snapshot, apy, passedMs: Math.min(this.#snapshot.passedMs, fromMs - 1) };
    this.#cached = null;
  }

  snapshot(): YieldIndexSnapshot {
    return this.#snapshot;
  }

  restore(snapshot: YieldIndexSnapshot): void {
    this.#snapshot = snapshot;
    this.#cached = null;
  }

  /** Passes the changes up to an instant, or the next `most` of them. Returns whether all were passed. */
  passChanges(atMs: number, most?: number): boolean {
    this.#snapshot = passed(this.#snapshot, atMs, most);
    const change = this.#snapshot.apy.nextChangeAfter(this.#snapshot.passedMs);
    return change === null || change > atMs;
  }
}

/**
 * An index after the changes up to an instant, or after the next `most` of them. An unchanged rate is not a change: how often a feed repeats
 * a value must not affect any digit.
 */
function passed(
  index: YieldIndexSnapshot,
  atMs: number,
  most = Number.POSITIVE_INFINITY,
): YieldIndexSnapshot {
  const { apy } = index;
  let { atMs: sinceMs, indexRay, passedMs } = index;
  let change = apy.nextChangeAfter(passedMs);
  if (change === null || change > atMs) return index;
  let rate = apy.at(sinceMs);
  for (let left = most; change !== null && change <= atMs && left > 0; left -= 1) {
    passedMs = change;
    change = apy.nextChangeAfter(passedMs);
    const next = apy.at(passedMs);
    if (next === rate) continue;
    indexRay = grown(indexRay, rate, { sinceMs, atMs: passedMs });
    sinceMs = passedMs;
    rate = next;
  }
  return { apy, atMs: sinceMs, indexRay, passedMs };
}

function grown(
  indexRay: bigint,
  apyPpm: bigint,
  { sinceMs, atMs }: { sinceMs: number; atMs: number },
): bigint {
  const seconds = secondsOf(atMs) - secondsOf(sinceMs);
  return seconds <= 0n ? indexRay : new Growth(apyPpm).over(indexRay, seconds);
}
