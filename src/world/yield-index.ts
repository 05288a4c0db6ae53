import { secondsOf } from '../core/domain/calendar.js';
import { Growth, RAY } from '../core/domain/rates.js';
import type { Moving } from './feed.js';

const GROWTHS_LIMIT = 10_000;

/** Growth by APY, remembered: working out a per-second factor takes tens of microseconds. */
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

/** A yield index at one moment, as a value: it stood at `indexRay` at `atMs` and follows `apy` since. */
export interface YieldIndexSnapshot {
  readonly apy: Moving;
  readonly atMs: number;
  readonly indexRay: bigint;
  /** Up to here the rate has been the one at `atMs`, also where the feed might have changed it. */
  readonly passedMs: number;
}

/**
 * The index of one token's savings: it compounds the APY by the second. It moves from change to change of the APY in closed
 * form, so a jump of ten years at one rate costs as much as one of ten seconds.
 */
export class YieldIndex {
  readonly #growths: Growths;
  #snapshot: YieldIndexSnapshot;
  #cached: { atSeconds: bigint; indexRay: bigint } | null = null;

  constructor(growths: Growths, apy: Moving, startMs: number) {
    this.#growths = growths;
    this.#snapshot = { apy, atMs: startMs, indexRay: RAY, passedMs: startMs };
  }

  /** The index at an instant that is not before the last change: a ray. */
  at(atMs: number): bigint {
    const atSeconds = secondsOf(atMs);
    if (this.#cached?.atSeconds === atSeconds) return this.#cached.indexRay;
    this.#passChanges(atMs);
    const indexRay = this.#grown(atMs);
    this.#cached = { atSeconds, indexRay };
    return indexRay;
  }

  /** Follows another feed, which is the same before `fromMs`. That instant must not lie before one that was asked for. */
  follow(apy: Moving, fromMs: number): void {
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

  // A rate that stays is not a change: how often a feed says the same must not show in any digit.
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
