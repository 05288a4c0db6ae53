import { List } from 'immutable';
import { DAY_MS, startOfUtcDay } from './calendar.js';
import type { Variants } from './variants.js';

/** One outflow's use of a daily limit. */
interface DailyUse {
  readonly outflow: number;
  readonly atMs: number;
  readonly usdMicro: bigint;
}

/** The uses of one limit that may still count, oldest first, and their sum in micro-USD. */
export interface DailyWindow {
  readonly uses: List<DailyUse>;
  readonly totalMicro: bigint;
}

export const EMPTY_WINDOW: DailyWindow = { uses: List(), totalMicro: 0n };

type WindowKind = Variants['dailyWindow'];

// A rolling window holds what happened less than 24 hours ago.
function startOf(kind: WindowKind, atMs: number): number {
  return kind === 'utc-day' ? startOfUtcDay(atMs) : atMs - DAY_MS + 1;
}

/** The window without the uses that no longer count at `atMs`. */
export function prune(window: DailyWindow, kind: WindowKind, atMs: number): DailyWindow {
  const start = startOf(kind, atMs);
  let { uses, totalMicro } = window;
  for (let first = uses.first(); first !== undefined && first.atMs < start; first = uses.first()) {
    uses = uses.shift();
    totalMicro -= first.usdMicro;
  }
  return uses === window.uses ? window : { uses, totalMicro };
}

export function addUse(window: DailyWindow, use: DailyUse): DailyWindow {
  return { uses: window.uses.push(use), totalMicro: window.totalMicro + use.usdMicro };
}

/** The window without the use of `outflow`; unchanged when that use no longer counts. */
export function giveBack(window: DailyWindow, outflow: number): DailyWindow {
  const at = window.uses.findLastIndex((use) => use.outflow === outflow);
  const use = window.uses.get(at);
  if (at < 0 || use === undefined) return window;
  return { uses: window.uses.delete(at), totalMicro: window.totalMicro - use.usdMicro };
}

/** When a use made at `atMs` no longer counts. */
export function freesAt(atMs: number, kind: WindowKind): number {
  return kind === 'utc-day' ? startOfUtcDay(atMs) + DAY_MS : atMs + DAY_MS;
}

/** When the allowance next increases: the next UTC midnight, or when the oldest use is 24 hours old. */
export function resetsAt(window: DailyWindow, kind: WindowKind, atMs: number): number {
  if (kind === 'utc-day') return startOfUtcDay(atMs) + DAY_MS;
  // A use worth nothing frees nothing.
  return (window.uses.find(({ usdMicro }) => usdMicro > 0n)?.atMs ?? atMs) + DAY_MS;
}
