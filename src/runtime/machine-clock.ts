import type { WallClock } from '../world/clock.js';

/** A machine's clock that is so much ahead was set forward, or the machine was asleep. */
const AHEAD_MS = 1_000;

/**
 * The machine's clock as it passes: it goes on while somebody sets the machine's clock back, and follows when that was set forward or the
 * machine was asleep, for which a steady clock does not count.
 */
export function machineClock(
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
