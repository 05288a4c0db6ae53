import { secondsOf } from '../core/domain/calendar.js';
import { Growth, RAY } from '../core/domain/rates.js';
import type { TimeVaryingValue } from './feed.js';

const GROWTHS_LIMIT = 10_000;

/** Cache of `Growth` by APY: computing a per-second factor takes tens of microseconds. */
export class Growths {
  readonly #known = new Map<bigint, Growth>();

  of(apyPpm: bigint): Growth {
    const known = this.#known.get(apyPpm);
    if (known !== undefined) return known;
    const growth = new Growth(apyPpm);
    if (this.#known.size >= GROWTHS_LIMIT) this.#known.clear();
    this.#known.set(apyPpm, growth);
    return growth;
  }
}

/** A yield index at one instant, as a value: it was `indexRay` at `atMs` and has followed `apy` since. */
export interface YieldIndexSnapshot {
  readonly apy: TimeVaryingValue;
  readonly atMs: number;
  readonly indexRay: bigint;
  /** The rate is known not to have changed between `atMs` and this instant, even where the feed might have changed it. */
  readonly passedMs: number;
}

/**
 * The index of one token's savings, compounding the APY by the second. It advances from one change of the APY to the next in closed
 * form, so a jump of ten years at one rate costs as much as one of ten seconds.
 */
export class YieldIndex {
  readonly #growths: Growths;
  #snapshot: YieldIndexSnapshot;
  #cached: { atSeconds: bigint; indexRay: bigint } | null = null;

  constructor(growths: Growths, apy: TimeVaryingValue, startMs: number) {
    this.#growths = growths;
    this.#snapshot = { apy, atMs: startMs, indexRay: RAY, passedMs: startMs };
  }

  /** The index (a ray) at an instant that is not before the last change. */
  at(atMs: number): bigint {
    const atSeconds = secondsOf(atMs);
    if (this.#cached?.atSeconds === atSeconds) return this.#cached.indexRay;
    this.#passChanges(atMs);
    const indexRay = this.#grown(atMs);
    this.#cached = { atSeconds, indexRay };
    return indexRay;
  }

  /** Switches to another feed that is identical before `fromMs`, which must not precede an instant already passed to `at`. */
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

  #grown(atMs: number): bigint {
    const seconds = secondsOf(atMs) - secondsOf(this.#snapshot.atMs);
    if (seconds <= 0n) return this.#snapshot.indexRay;
    return this.#growths
      .of(this.#snapshot.apy.at(this.#snapshot.atMs))
      .over(this.#snapshot.indexRay, seconds);
  }

  // An unchanged rate is not a change: how often a feed repeats a value must not affect any digit.
  #passChanges(atMs: number): void {
    for (;;) {
      const { apy, atMs: sinceMs, passedMs } = this.#snapshot;
      const change = apy.nextChangeAfter(passedMs);
      if (change === null || change > atMs) return;
      this.#snapshot =
        apy.at(change) === apy.at(sinceMs)
          ? { ...this.#snapshot, passedMs: change }
          : { apy, atMs: change, indexRay: this.#grown(change), passedMs: change };
    }
  }
}
