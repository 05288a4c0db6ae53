import { z } from 'zod';
import { EVENT_KINDS, type EventKind } from './due-runner.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { checkInput } from './inspection/queries.js';
import { defined, isObject } from '../core/json.js';
import { SLOT_MS } from '../chain/slots.js';
import { DURATIONS, LAST_CLOCK_MS, parseDuration, parseInstant } from '../core/domain/calendar.js';

/**
 * The target of an advance: a duration, an instant, the first event of a kind within a duration, or a number of blocks.
 * An advance by blocks produces a block per slot; the slots of any other advance have no block, so blockhashes stay
 * valid.
 */
export type Advance =
  | string
  | number
  | { readonly to: Date | string }
  | { readonly blocks: number }
  | { readonly until: EventKind; readonly within?: string | undefined };

export interface AdvanceOptions {
  /** Aborting stops a running or queued advance, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The request that the journal's entries are attributed to. */
  readonly cause?: RequestContext | undefined;
}

/** The default span within which an advance looks for an event. */
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
    throw new RangeError(`not a duration: ${by}; use ${DURATIONS}`);
  return nowMs + Math.floor(byMs);
}

/** An advance without members that are undefined. */
export function givenAdvance(to: Advance): Advance {
  return isObject(to) ? (defined(to) as Advance) : to;
}

/** The latest instant of an advance, given by `givenAdvance`, in ms since 1970. Throws RangeError when it is invalid, past or after 9999. */
export function jumpTarget(to: Advance, nowMs: number): number {
  if (typeof to === 'object') {
    checkInput(to, { until: z.enum(EVENT_KINDS) }, ['to', 'within', 'blocks'], 'way to advance');
    const ways = Object.keys(to).filter((name) => name !== 'within');
    if (ways.length !== 1 || ('blocks' in to && !(Number.isInteger(to.blocks) && to.blocks >= 0)))
      throw new RangeError('give exactly one of: a duration, to, until, and blocks, which is a whole number');
  }
  const by =
    typeof to !== 'object' || 'to' in to
      ? to
      : 'until' in to
        ? (to.within ?? LONGEST_WAIT)
        : to.blocks * SLOT_MS;
  const targetMs = typeof by === 'object' ? instant(by.to) : later(by, nowMs);
  if (targetMs > LAST_CLOCK_MS)
    throw new RangeError('the advance exceeds the end of the year 9999, the last instant of a clock');
  if (targetMs < nowMs) throw new RangeError('the clock cannot run backwards; revert to a snapshot instead');
  return targetMs;
}
