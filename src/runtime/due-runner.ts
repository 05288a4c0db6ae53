import { isoOf } from '../core/domain/calendar.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { DueItem } from '../core/domain/due.js';
import type { Entry, Facts } from '../core/domain/entry.js';
import { Cell } from '../core/snapshot.js';
import { isSettlementDue } from '../core/domain/operations/settle-savings.js';
import type { Oracle } from '../world/oracle.js';
import type { Bank } from '../bank/bank.js';
import type { TransactionFaultInjector } from '../chain/transaction-faults.js';

export const EVENT_KINDS = [
  'loan.due',
  'loan.charged',
  'loan.defaulted',
  'loan.set_off',
  'collateral.liquidated',
  'review.decided',
  'withdrawal.completed',
  'withdrawal.failed',
  'savings.settled',
  'yield.changed',
  'price.changed',
  'transaction.arrived',
  'transaction.confirmed',
  'transaction.expired',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface FiredEvent {
  readonly at: string;
  readonly kind: EventKind;
  /** The id of the loan, withdrawal, token, wallet or transaction concerned; absent for the whole bank. */
  readonly subject?: string;
}

/** When to stop early, and the request that the entries are attributed to. */
interface RunOptions {
  readonly maxEvents: number;
  readonly stopAt?: EventKind | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly cause?: RequestContext | undefined;
}

/** The scheduled events that new entries are passed to. */
const FIRED: Partial<Record<Facts['kind'], EventKind>> = {
  'loan.overdue': 'loan.due',
  'loan.charged': 'loan.charged',
  'loan.defaulted': 'loan.defaulted',
  'loan.set_off': 'loan.set_off',
  'collateral.liquidated': 'collateral.liquidated',
};

function firedBy({ atMs, facts, wallet }: Entry): FiredEvent[] {
  const kind = FIRED[facts.kind];
  if (kind === undefined) return [];
  const subject = 'loanId' in facts ? facts.loanId : wallet;
  return [{ at: isoOf(atMs), kind, ...(subject === null ? {} : { subject }) }];
}

/** Events between two yields to the event loop: some milliseconds of work. */
const EVENTS_A_TURN = 500;

export interface DueParts {
  readonly bank: Bank;
  readonly oracle: Oracle;
  readonly startMs: number;
  /** Transactions delayed by a fault; null on a cluster. */
  readonly transactionFaults: TransactionFaultInjector | null;
  /** Called after each event. */
  readonly onFired: (event: FiredEvent, atMs: number, cause: RequestContext) => void;
  /** Yields to the event loop between events; rejects when the world is being closed. */
  readonly turn: () => Promise<void>;
}

/** Runs scheduled work as it falls due, in order. */
export class DueRunner {
  readonly #parts: DueParts;
  /** The instant up to which changes of rates and prices were reported, and collateral loans checked. */
  readonly seenMs: Cell<number>;

  constructor(parts: DueParts) {
    this.#parts = parts;
    this.seenMs = new Cell(parts.startMs);
  }

  /** Whether anything is due by an instant; cheap. */
  isDue(untilMs: number): boolean {
    const due = this.#parts.bank.books.state.due;
    return (
      (due !== null && due.item.atMs <= untilMs) ||
      (this.#parts.transactionFaults?.next().atMs ?? Infinity) <= untilMs ||
      this.#nextAssessmentMs() <= untilMs
    );
  }

  /**
   * Runs everything due by `untilMs` and returns the fired events. `moveTo` is called before each instant, to
   * move an advancing clock there. Stops at the instant of the first event of kind `stopAt`, after
   * `maxEvents`, or when `signal` is aborted; all events of the instant it stops at are run. `reachedMs` is
   * the instant up to which everything due has run.
   */
  async run(
    untilMs: number,
    moveTo: (atMs: number) => void,
    { maxEvents, stopAt, signal, cause = NO_REQUEST }: RunOptions,
  ): Promise<{ fired: FiredEvent[]; reachedMs: number }> {
    const fired: FiredEvent[] = [];
    let endMs = untilMs;
    let standsAtMs = untilMs;
    const moveOn = (atMs: number) => {
      standsAtMs = atMs;
      this.#parts.oracle.earnUntil(atMs);
      moveTo(atMs);
    };
    const fire = (event: FiredEvent, atMs: number) => {
      fired.push(event);
      this.#parts.onFired(event, atMs, cause);
      if (event.kind === stopAt || fired.length >= maxEvents) endMs = Math.min(endMs, atMs);
    };
    for (let round = 1; ; round += 1) {
      if (round % EVENTS_A_TURN === 0) await this.#parts.turn();
      if (signal?.aborted === true) endMs = Math.min(endMs, standsAtMs);
      const nextBankMs = this.#parts.bank.books.state.due?.item.atMs ?? Number.POSITIVE_INFINITY;
      const changes = this.#parts.oracle.nextChanges(this.seenMs.value);
      const nextChangeMs = changes[0]?.atMs ?? Number.POSITIVE_INFINITY;
      const nextAssessmentMs = this.#nextAssessmentMs();
      const nextSeenMs = Math.min(nextChangeMs, nextAssessmentMs);
      const arrivals = this.#parts.transactionFaults?.next();
      const nextArrivalMs = arrivals?.atMs ?? Infinity;
      if (Math.min(nextBankMs, nextSeenMs, nextArrivalMs) > endMs) break;
      if (arrivals !== undefined && nextArrivalMs <= Math.min(nextBankMs, nextSeenMs)) {
        moveOn(nextArrivalMs);
        for (const { kind, signature } of (await this.#parts.transactionFaults?.arrive(arrivals)) ?? [])
          fire({ at: isoOf(nextArrivalMs), kind, subject: signature }, nextArrivalMs);
        await this.#parts.bank.settlement.late.askAgain();
        continue;
      }
      if (nextSeenMs <= nextBankMs) {
        moveOn(nextSeenMs);
        this.seenMs.value = nextSeenMs;
        if (nextAssessmentMs === nextSeenMs)
          for (const entry of this.#parts.bank.consequences.liquidate(nextSeenMs, cause))
            for (const event of firedBy(entry)) fire(event, nextSeenMs);
        const at = isoOf(nextSeenMs);
        if (nextChangeMs === nextSeenMs)
          for (const { kind, token } of changes) fire({ at, kind, subject: token }, nextSeenMs);
        continue;
      }
      const item = this.#parts.bank.books.takeDue();
      if (item === null) break;
      moveOn(item.atMs);
      try {
        for (const event of await this.#carryOut(item, cause)) fire(event, item.atMs);
      } finally {
        this.#parts.bank.books.dueIsDone(item);
      }
    }
    this.seenMs.value = Math.max(this.seenMs.value, endMs);
    this.#parts.oracle.earnUntil(endMs);
    return { fired, reachedMs: endMs };
  }

  #nextAssessmentMs(): number {
    return this.#parts.bank.consequences.nextAssessmentMs(this.seenMs.value);
  }

  async #carryOut({ atMs, task }: DueItem, cause: RequestContext): Promise<FiredEvent[]> {
    const { books, consequences } = this.#parts.bank;
    const at = isoOf(atMs);
    switch (task.kind) {
      case 'loan.due':
        return consequences.fallDue({ loanId: task.loanId, dueAtMs: atMs, atMs }, cause).flatMap(firedBy);
      case 'loan.default':
        return consequences.fallDefault({ loanId: task.loanId, dueAtMs: atMs, atMs }, cause).flatMap(firedBy);
      case 'review.decide': {
        if (books.state.loans.get(task.loanId)?.status !== 'pending_review') return [];
        if (!(await this.#parts.bank.credit.decideByScore(task.loanId, atMs, cause))) return [];
        return [{ at, kind: 'review.decided', subject: task.loanId }];
      }
      case 'withdrawal.execute': {
        if (!books.state.openOutflows.has(task.outflow)) return [];
        const settled = await this.#parts.bank.settlement.carryOut(task.outflow, cause);
        if (settled.ok && settled.value.status === 'pending') return [];
        const subject = this.#parts.bank.reservations.outflowId(task.outflow);
        return [{ at, kind: settled.ok ? 'withdrawal.completed' : 'withdrawal.failed', subject }];
      }
      case 'savings.settle':
        if (!isSettlementDue(books.state)) return [];
        await this.#parts.bank.settlement.settleSavings(cause);
        return [{ at, kind: 'savings.settled' }];
    }
  }
}
