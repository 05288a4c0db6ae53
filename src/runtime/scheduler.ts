import { setImmediate } from 'node:timers/promises';
import type { Bank } from '../bank/bank.js';
import { type Arrivals, DueRunner, type EventKind, type FiredEvent } from './due-runner.js';
import { ReadWriteLock } from './read-write-lock.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { LAST_CLOCK_MS } from '../core/domain/calendar.js';
import type { EventLog } from './events/log.js';
import type { Clock, TimeMode } from '../world/clock.js';
import type { Oracle } from '../world/oracle.js';
import { type Advance, type AdvanceOptions, LONGEST_WAIT, jumpTarget } from './advance.js';
import { EventNotDue, TooManyEvents, WorldClosed } from './refusals.js';

/** Node's timers run at once when they are longer; three weeks are as good as for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A world of its own in which a jump can be tried. */
interface ForkedWorld {
  advance(to: Advance, options: AdvanceOptions): Promise<FiredEvent[]>;
  close(): Promise<void>;
}

interface Parts {
  readonly clock: Clock;
  readonly bank: Bank;
  readonly oracle: Oracle;
  /** Transactions that a fault has delayed; null on a cluster. */
  readonly arrivals: Arrivals | null;
  readonly events: EventLog;
  /** Lets real milliseconds pass; a timer when left out. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
  /** Makes a world that begins as this one is now, while nothing else goes on here. */
  readonly fork: () => Promise<ForkedWorld>;
  /** Called after time was moved. */
  readonly onMoved: () => void;
  /** The limit `jumpEvents`. */
  readonly maxEvents: number;
}

/** How a world goes on: who may act when, how time passes, and what falls due on the way. */
export class Scheduler {
  readonly #clock: Clock;
  readonly #bank: Bank;
  readonly #due: DueRunner;
  readonly #events: EventLog;
  readonly #onMoved: () => void;
  readonly #wait: Parts['wait'];
  readonly #fork: Parts['fork'];
  readonly #maxEvents: number;
  #isClosing = false;
  readonly #lock = new ReadWriteLock(setImmediate);
  /** How often the world went back to what the disk holds. */
  rollbackCount = 0;
  /** Delays that go on in real time. */
  readonly #delays = new Set<() => void>();

  constructor({ clock, bank, oracle, arrivals, events, wait, fork, onMoved, maxEvents }: Parts) {
    this.#maxEvents = maxEvents;
    this.#wait = wait;
    this.#fork = fork;
    this.#clock = clock;
    this.#bank = bank;
    this.#events = events;
    this.#onMoved = onMoved;
    this.#due = new DueRunner({
      bank,
      oracle,
      arrivals,
      startMs: clock.nowMs(),
      onFired: ({ kind, subject = null }, atMs, cause) =>
        events.append({ kind: 'fired', event: kind, subject }, cause.requestId, atMs),
      turn: async () => {
        await setImmediate();
        if (this.#isClosing) throw new WorldClosed();
      },
      maxEvents,
    });
  }

  /** Runs work together with other work, after what has fallen due and when nothing moves the whole world. */
  runShared<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#lock.runShared(() => {
      const nowMs = this.#clock.nowMs();
      const isDue = this.#due.isDue(nowMs);
      return isDue || this.#bank.settlement.late.size > 0 ? this.#catchUp(nowMs, isDue).then(work) : work();
    });
  }

  /** Runs work together with other work in the world as it is: what has fallen due waits for somebody else. */
  runWithoutCatchUp<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#lock.runShared(work);
  }

  /** The end of work that runs alone; null while none does. */
  get moving(): Promise<void> | null {
    return this.#lock.moving;
  }

  /** Runs work while nothing else goes on, after what is under way has ended. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.runExclusive(work);
  }

  /** The same, after what has fallen due. */
  runExclusiveAfterDue<T>(work: () => Promise<T>): Promise<T> {
    return this.runExclusive(async () => {
      const nowMs = this.#clock.nowMs();
      await this.#catchUp(nowMs, this.#due.isDue(nowMs));
      return work();
    });
  }

  /**
   * Jumps forward; see `Advance`. Throws RangeError; EventNotDue for a wait without a span for what does not come; the reason of a
   * signal that is aborted.
   */
  advance(to: Advance, { signal, cause = NO_REQUEST }: AdvanceOptions = {}): Promise<FiredEvent[]> {
    const stopAt = typeof to === 'object' && 'until' in to ? to.until : undefined;
    return this.runExclusive(async () => {
      signal?.throwIfAborted();
      const targetMs = jumpTarget(to, this.#clock.nowMs());
      if (typeof to === 'object' && 'until' in to && to.within === undefined)
        await this.#checkDue(to.until, { targetMs, signal });
      signal?.throwIfAborted();
      return this.#jump(targetMs, { stopAt, signal, cause, how: 'advanced' });
    });
  }

  /** Tries a wait for an event in a fork, so that nothing changes here. Throws EventNotDue when it does not come. */
  async #checkDue(
    until: EventKind,
    { targetMs, signal }: { targetMs: number; signal: AbortSignal | undefined },
  ): Promise<void> {
    const fork = await this.#fork();
    try {
      const fired = await fork.advance({ until, within: LONGEST_WAIT }, { signal });
      if (fired.every(({ kind }) => kind !== until)) throw new EventNotDue(until, LONGEST_WAIT, targetMs);
    } finally {
      await fork.close();
    }
  }

  /** Changes how time moves from here on. */
  setMode(mode: TimeMode): void {
    const fromMs = this.#clock.nowMs();
    this.#clock.setMode(mode);
    this.#onMoved();
    this.#tellClock('set', fromMs, NO_REQUEST);
  }

  /** Lets time pass for a delay: really while the clock runs, by a jump while it stands. */
  async sleep(ms: number): Promise<void> {
    const mode = this.#clock.mode();
    if (mode.kind === 'frozen') {
      await this.runExclusive(() => {
        const targetMs = Math.min(this.#clock.nowMs() + ms, LAST_CLOCK_MS);
        return this.#jump(targetMs, { cause: NO_REQUEST, how: 'delayed' });
      });
      return;
    }
    const realMs = mode.kind === 'scaled' ? ms / mode.factor : ms;
    if (this.#wait !== undefined) return this.#wait(realMs);
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#delays.delete(end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(realMs, LONGEST_TIMER_MS));
      this.#delays.add(end);
    });
  }

  /** Ends what takes time, since the world is being closed: delays that go on in real time, and a jump that is under way. */
  endWaiting(): void {
    this.#isClosing = true;
    for (const end of this.#delays) end();
  }

  /** Up to which instant the changes of rates and prices have been told of. */
  snapshot(): number {
    return this.#due.snapshot();
  }

  restore(snapshot: number): void {
    this.#due.restore(snapshot);
  }

  /** Runs what has fallen due, and asks what became of transfers that the chain did not tell of. */
  async #catchUp(nowMs: number, isDue: boolean): Promise<void> {
    if (isDue) await this.#due.run(nowMs, () => undefined);
    await this.#bank.settlement.late.askAgain();
  }

  /** Brings the clock to an instant, running what falls due on the way. Nothing else may go on meanwhile. */
  async #jump(
    targetMs: number,
    options: {
      stopAt?: EventKind | undefined;
      signal?: AbortSignal | undefined;
      cause: RequestContext;
      how: 'advanced' | 'delayed';
    },
  ): Promise<FiredEvent[]> {
    const { stopAt, signal, cause, how } = options;
    const fromMs = this.#clock.nowMs();
    const moveTo = (atMs: number) => {
      if (atMs > this.#clock.nowMs()) this.#clock.jumpTo(atMs);
    };
    const { fired, reachedMs } = await this.#due.run(targetMs, moveTo, { stopAt, signal, cause });
    moveTo(reachedMs);
    this.#tellClock(how, fromMs, cause);
    if (this.#bank.settlement.late.size > 0) await this.#bank.settlement.late.askAgain();
    this.#onMoved();
    if (reachedMs < targetMs) signal?.throwIfAborted();
    if (fired.length >= this.#maxEvents) throw new TooManyEvents(this.#maxEvents, this.#clock.nowMs());
    return fired;
  }

  #tellClock(how: 'advanced' | 'delayed' | 'set', fromMs: number, cause: RequestContext): void {
    this.#events.append({ kind: 'clock', how, fromMs, mode: this.#clock.mode().kind }, cause.requestId);
  }
}
