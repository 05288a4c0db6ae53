import { iso } from './amounts.js';
import type { Books } from './books.js';
import { Check, type Tree, differenceOf } from './compare.js';
import { runDue } from './due.js';
import { expectedControl } from './expected.js';
import { lookUpTransfers, slotOf } from './in-flight.js';
import type { Expectation } from './types.js';

/** Events in the response to an advance. Source: docs/reference/control.md, Endpoints. */
const MOST_LISTED = 10_000;

interface Listed {
  readonly at: string;
  readonly kind: string;
}

/**
 * The events that occurred. Overlapping calls may cause savings to settle several times at one instant, which responses do not show: all
 * count as one event.
 */
function firedList(fired: readonly (Listed & { readonly subject?: Tree })[]): Check {
  return new Check((actual, memory) => {
    if (!Array.isArray(actual)) return 'a list of events';
    return differenceOf(onceSettled(fired) as unknown as Tree, onceSettled(actual as Listed[]), memory);
  });
}

function onceSettled<T extends Listed>(fired: readonly T[]): T[] {
  return fired.filter(({ at, kind }, place) => {
    const before = fired[place - 1];
    return kind !== 'savings.settled' || before?.kind !== kind || before.at !== at;
  });
}

/** Moves the clock. Returns the expected response to the operator. */
export function advance(books: Books, toMs: number): Expectation {
  const fired = runDue(books, toMs);
  books.nowMs = toMs;
  lookUpTransfers(books);
  const listed = fired.slice(0, MOST_LISTED);
  const omitted = fired.length - listed.length;
  const shown = listed.map(({ atMs, kind, subject }) => ({
    at: iso(atMs),
    kind,
    ...(subject === null ? {} : { subject }),
  }));
  return expectedControl(books, () => ({
    now: iso(toMs),
    mode: 'frozen',
    factor: 0,
    slot: slotOf(books),
    reached: true,
    fired: firedList(shown),
    ...(omitted === 0 ? {} : { omitted }),
  }));
}
