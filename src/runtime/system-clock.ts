import type { WallClock } from '../world/clock.js';

/** When the machine's clock gains this much, it was set forward or the machine was suspended. */
const AHEAD_MS = 1_000;

/**
 * A monotonic machine clock. It keeps running when the system time is set back, and follows when the system time is set
 * forward or the machine was suspended. `performance.now()` does not count suspension.
 */
export function systemClock(
  dateMs: () => number = () => Date.now(),
  steadyMs: () => number = () => performance.now(),
): WallClock {
  let aheadMs = dateMs() - steadyMs();
  return () => {
    const steady = steadyMs();
    const nowAheadMs = dateMs() - steady;
    if (nowAheadMs - aheadMs > AHEAD_MS) aheadMs = nowAheadMs;
    return Math.floor(steady + aheadMs);
  };
}
