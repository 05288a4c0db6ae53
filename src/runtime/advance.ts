import type { EventKind } from './due-runner.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { LAST_CLOCK_MS, parseDuration, parseInstant } from '../core/domain/calendar.js';

/** Where time is to go: by a duration, to an instant, or until the first event of a kind within a duration. */
export type Advance =
  | string
  | number
  | { readonly to: Date | string }
  | { readonly until: EventKind; readonly within?: string | undefined };

/** What a jump is to heed. */
export interface AdvanceOptions {
  /**
   * Once it is aborted, the jump goes no further than the instant that it has reached, or is not begun when it still waits for its
   * turn; it then rejects with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined;
  /** What the journal's entries are for. */
  readonly cause?: RequestContext | undefined;
}

/** How far a wait for an event looks when nothing else is said. */
export const LONGEST_WAIT = '10y';

function instant(to: Date | string): number {
  const atMs = typeof to === 'string' ? parseInstant(to) : to.getTime();
  if (atMs === null || Number.isNaN(atMs))
    throw new RangeError(`not an instant with its zone: ${String(to)}`);
  return atMs;
}

function later(by: string | number, nowMs: number): number {
  const byMs = typeof by === 'number' ? by : parseDuration(by);
  if (byMs === null || !Number.isFinite(byMs))
    throw new RangeError(`not a duration: ${by}; use 90s, 1h30m, 30d or PT1H`);
  return nowMs + Math.floor(byMs);
}

/** The instant, in milliseconds since 1970, that a jump ends at by the latest. Throws RangeError for one that cannot be. */
export function jumpTarget(to: Advance, nowMs: number): number {
  const by = typeof to === 'object' && 'until' in to ? (to.within ?? LONGEST_WAIT) : to;
  const targetMs = typeof by === 'object' ? instant(by.to) : later(by, nowMs);
  if (targetMs > LAST_CLOCK_MS)
    throw new RangeError('the jump goes beyond the end of the year 9999, the last instant of a clock');
  if (targetMs < nowMs) throw new RangeError('the clock cannot run backwards; revert to a snapshot instead');
  return targetMs;
}
