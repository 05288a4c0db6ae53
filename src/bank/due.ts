import { isoOf } from '../domain/calendar.js';
import type { DueItem } from '../domain/due.js';
import { loanDefault, loanDue } from '../domain/operations/age-loan.js';
import type { Oracle } from '../world/oracle.js';
import type { Bank } from './bank.js';

/** What can happen because its time has come. */
export const EVENT_KINDS = [
  'loan.due',
  'loan.defaulted',
  'review.decided',
  'withdrawal.completed',
  'withdrawal.failed',
  'savings.settled',
  'yield.changed',
  'price.changed',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something that happened because its time came. */
export interface FiredEvent {
  readonly at: string;
  readonly kind: EventKind;
  /** What it happened to: a loan, a withdrawal, a token; absent for the whole bank. */
  readonly subject?: string;
}

/** Runs what falls due, in order. */
export class DueRunner {
  readonly #bank: Bank;
  readonly #oracle: Oracle;
  #oracleSeenMs: number;

  constructor(bank: Bank, oracle: Oracle, startMs: number) {
    this.#bank = bank;
    this.#oracle = oracle;
    this.#oracleSeenMs = startMs;
  }

  /** Whether anything is due by an instant. Costs next to nothing. */
  isDue(untilMs: number): boolean {
    const due = this.#bank.books.state.due;
    return due !== null && due.item.atMs <= untilMs;
  }

  /**
   * Runs everything due by `untilMs` and tells what fired. `moveTo` is called before each instant, so that a clock that is
   * being advanced stands there. With `stopAt` it goes no further than the instant of the first event of that kind, all of
   * whose events it runs.
   */
  async run(untilMs: number, moveTo: (atMs: number) => void, stopAt?: EventKind): Promise<FiredEvent[]> {
    const fired: FiredEvent[] = [];
    let endMs = untilMs;
    for (;;) {
      const nextBankMs = this.#bank.books.state.due?.item.atMs ?? Number.POSITIVE_INFINITY;
      const changes = this.#oracle.nextChanges(this.#oracleSeenMs);
      const nextOracleMs = changes[0]?.atMs ?? Number.POSITIVE_INFINITY;
      if (Math.min(nextBankMs, nextOracleMs) > endMs) break;
      if (nextOracleMs <= nextBankMs) {
        moveTo(nextOracleMs);
        this.#oracleSeenMs = nextOracleMs;
        for (const { kind, token, atMs } of changes) {
          if (kind === stopAt) endMs = Math.min(endMs, atMs);
          fired.push({ at: isoOf(atMs), kind, subject: token });
        }
        continue;
      }
      const item = this.#bank.books.takeDue(endMs);
      if (item === null) break;
      moveTo(item.atMs);
      const event = await this.#carryOut(item);
      if (event === null) continue;
      if (event.kind === stopAt) endMs = Math.min(endMs, item.atMs);
      fired.push(event);
    }
    this.#oracleSeenMs = Math.max(this.#oracleSeenMs, endMs);
    return fired;
  }

  mark(): number {
    return this.#oracleSeenMs;
  }

  restore(mark: number): void {
    this.#oracleSeenMs = mark;
  }

  async #carryOut({ atMs, task }: DueItem): Promise<FiredEvent | null> {
    const { books } = this.#bank;
    const at = isoOf(atMs);
    switch (task.kind) {
      case 'loan.due': {
        const draft = loanDue(books.state, task.loanId, atMs);
        if (draft === null) return null;
        books.append(draft, atMs);
        return { at, kind: 'loan.due', subject: task.loanId };
      }
      case 'loan.default': {
        const draft = loanDefault(books.state, task.loanId, atMs);
        if (draft === null) return null;
        books.append(draft, atMs);
        return { at, kind: 'loan.defaulted', subject: task.loanId };
      }
      case 'review.decide': {
        if (books.state.loans.get(task.loanId)?.status !== 'pending_review') return null;
        this.#bank.credit.decideByScore(task.loanId, atMs);
        return { at, kind: 'review.decided', subject: task.loanId };
      }
      case 'withdrawal.execute': {
        if (!books.state.openOutflows.has(task.outflow)) return null;
        const settled = await this.#bank.settlement.carryOut(task.outflow);
        if (settled.ok && settled.value.status === 'pending') return null;
        const subject = this.#bank.outflowId(task.outflow);
        return { at, kind: settled.ok ? 'withdrawal.completed' : 'withdrawal.failed', subject };
      }
      case 'savings.settle':
        if (!books.state.settlementScheduled) return null;
        await this.#bank.settlement.settleSavings();
        return { at, kind: 'savings.settled' };
    }
  }
}
