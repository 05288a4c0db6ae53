import { iso } from './amounts.js';
import type { Books } from './books.js';
import { SIGNATURE_FORM, loanId, recordId } from './checks.js';
import { Check, type Place, type Tree, differenceOf } from './compare.js';
import { assess, nextAssessmentMs, loanDefaults, loanDue } from './credit.js';
import { expectedControl } from './verdict.js';
import { arrive, lookUpTransfers, nextLostMs, slotOf, settleSavings } from './treasury.js';
import type { DueKind } from './schedule.js';
import { carryOutQueued } from './transfers.js';
import type { Expectation } from './types.js';

/** Events in the response to an advance. Source: docs/reference/control.md, Endpoints. */
const MOST_LISTED = 10_000;

interface Fired {
  readonly at: string;
  readonly kind: string;
  /** Absent for the whole bank. */
  readonly subject?: Tree;
}

const NEVER = { atMs: Number.POSITIVE_INFINITY, of: [] };
const CHANGED = { apy: 'yield.changed', usd: 'price.changed' } as const;

/**
 * Processes everything due up to an instant, in order. At one instant, transactions first arrive or expire, then collateral loans are
 * assessed, then rates and prices change. Returns the reported events.
 */
export function runDue(books: Books, untilMs: number): readonly Fired[] {
  const fired: Fired[] = [];
  for (;;) {
    const assessmentMs = nextAssessmentMs(books);
    const changes = untilMs > books.seenMs ? books.oracle.nextChanges(books.seenMs) : NEVER;
    const seenMs = Math.min(assessmentMs, changes.atMs);
    const { next } = books.schedule;
    const isEvent =
      next !== null && (next.atMs < seenMs || (next.atMs === seenMs && next.what.kind === 'arrival'));
    const atMs = isEvent ? next.atMs : seenMs;
    const lostMs = nextLostMs(books);
    if (Math.min(atMs, lostMs) > untilMs) break;
    books.nowMs = Math.max(books.nowMs, Math.min(atMs, lostMs));
    // The arrivals of an instant are looked up together with what is lost at that instant.
    if (lostMs < atMs || (lostMs === atMs && !(isEvent && next.what.kind === 'arrival'))) {
      lookUpTransfers(books);
      continue;
    }
    if (isEvent) {
      books.schedule.dropNext();
      fired.push(...carryOut(books, next.what).map((event) => ({ at: iso(atMs), ...event })));
      continue;
    }
    books.seenMs = seenMs;
    if (assessmentMs === seenMs)
      for (const subject of assess(books).toSorted())
        fired.push({ at: iso(atMs), kind: 'collateral.liquidated', subject });
    if (changes.atMs === seenMs)
      for (const { kind, token } of changes.of)
        fired.push({ at: iso(atMs), kind: CHANGED[kind], subject: token });
  }
  books.seenMs = Math.max(books.seenMs, untilMs);
  return fired;
}

function carryOut(books: Books, what: DueKind): Omit<Fired, 'at'>[] {
  switch (what.kind) {
    case 'arrival': {
      const { of } = what;
      const became = 'key' in of ? arrive(books, of.key) : 'confirmed';
      const { next } = books.schedule;
      // The bank looks transfers up once all arrivals of an instant are processed.
      if (next?.what.kind !== 'arrival' || next.atMs > books.nowMs) lookUpTransfers(books);
      return [{ kind: `transaction.${became}`, subject: 'key' in of ? SIGNATURE_FORM : of.signature }];
    }
    case 'settlement':
      return settleSavings(books) ? [{ kind: 'savings.settled' }] : [];
    case 'withdrawal': {
      const isDone = carryOutQueued(books, what.at);
      if (isDone === null) return [];
      return [{ kind: isDone ? 'withdrawal.completed' : 'withdrawal.failed', subject: recordId(what.at) }];
    }
    case 'due':
      return ofLoan(books, what.at, { carryOutDue: loanDue, kind: 'loan.due', booked: 'loan.charged' });
    case 'default':
      return ofLoan(books, what.at, {
        carryOutDue: loanDefaults,
        kind: 'loan.defaulted',
        booked: 'loan.set_off',
      });
  }
}

/** An event of a loan, and another one if it was booked as a fee or a payment. */
function ofLoan(
  books: Books,
  at: Place,
  { carryOutDue, kind, booked }: { carryOutDue: typeof loanDue; kind: string; booked: string },
): Omit<Fired, 'at'>[] {
  const { history } = books.agent(at.wallet);
  const before = history.length;
  if (!carryOutDue(books, at)) return [];
  const kinds = history.length > before ? [kind, booked] : [kind];
  return kinds.map((each) => ({ kind: each, subject: loanId(at) }));
}

/**
 * The events that occurred. Overlapping calls may cause savings to settle several times at one instant, which responses do not show: all
 * count as one event.
 */
function firedList(fired: readonly Fired[]): Check {
  return new Check((actual, memory) => {
    if (!Array.isArray(actual)) return 'a list of events';
    return differenceOf(onceSettled(fired) as unknown as Tree, onceSettled(actual as Fired[]), memory);
  });
}

function onceSettled(fired: readonly Fired[]): Fired[] {
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
  const omitted = fired.length - MOST_LISTED;
  return expectedControl(books, () => ({
    now: iso(toMs),
    mode: 'frozen',
    factor: 0,
    slot: slotOf(books),
    reached: true,
    fired: firedList(fired.slice(0, MOST_LISTED)),
    ...(omitted > 0 ? { omitted } : {}),
  }));
}
