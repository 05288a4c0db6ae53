import { setImmediate } from 'node:timers/promises';
import { type DueParts, DueRunner, type EventKind, type FiredEvent } from './due-runner.js';
import { ReadWriteLock } from './read-write-lock.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { LAST_CLOCK_MS } from '../core/domain/calendar.js';
import type { Cell } from '../core/snapshot.js';
import type { EventLog } from './events/log.js';
import type { Clock, TimeMode } from '../world/clock.js';
import { type Advance, type AdvanceOptions, LONGEST_WAIT, givenAdvance, jumpTarget } from './jump-target.js';
import { EventNotDue, TooManyEvents, WorldClosed } from './refusals.js';

/** Longer Node timers fire at once; the cap is about 25 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Changes of a rate between two yields to the event loop: one or two milliseconds of work. */
const CHANGES_A_TURN = 500;

/** The most catch-ups before a call: on a very fast clock something is always due, and the call runs late. */
const MOST_CATCH_UPS = 10;

/** A separate world to try an advance in. */
interface ForkedWorld {
  advance(to: Advance, options: AdvanceOptions): Promise<FiredEvent[]>;
  close(): Promise<void>;
}

interface Parts extends Omit<DueParts, 'startMs' | 'onFired' | 'turn'> {
  readonly clock: Clock;
  readonly events: EventLog;
  /** Waits real milliseconds; a timer by default. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
  /** Forks the world. Must run exclusively. */
  readonly fork: () => Promise<ForkedWorld>;
  /** Called after time has moved. */
  readonly onMoved: () => void;
}

/** Orders all work in a world: locking, the passage of time, and scheduled work. */
export class Scheduler {
  readonly #parts: Parts;
  readonly #due: DueRunner;
  #isClosing = false;
  readonly #lock = new ReadWriteLock(setImmediate);
  /** The run of due work that calls wait for; null when none is in progress. */
  #catchingUp: Promise<void> | null = null;
  /** How often the world was put back: by rollbacks to the durable state, reverts and imports. */
  rollbackCount = 0;
  /** Ends the delays that are waiting in real time. */
  readonly #delays = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { clock, events } = parts;
    this.#due = new DueRunner({
      ...parts,
      startMs: clock.nowMs(),
      onFired: ({ kind, subject = null }, atMs, cause) =>
        events.append({ kind: 'fired', event: kind, subject }, cause.requestId, atMs),
      turn: async () => {
        await setImmediate();
        if (this.#isClosing) throw new WorldClosed();
      },
    });
  }

  /**
   * Runs shared work, after what has fallen due and outside of exclusive work. A running clock is held for the synchronous part, so that
   * nothing falls due between the two.
   */
  runShared<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#lock.runShared(() =>
      this.#parts.clock.still(() => (this.#mustCatchUp() ? this.#afterCatchUp(work) : work())),
    );
  }

  /** Runs shared work on the world as it is, without first running what has fallen due. */
  runWithoutCatchUp<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#lock.runShared(work);
  }

  /** Computes the yield of savings until now; null when done, a promise when it takes several event loop turns. */
  earn(): Promise<void> | null {
    return this.#earnSome() ? null : this.#earnRest();
  }

  #earnSome(): boolean {
    return this.#parts.oracle.earnUntil(this.#parts.clock.nowMs(), CHANGES_A_TURN);
  }

  async #earnRest(): Promise<void> {
    do await setImmediate();
    while (!this.#isClosing && !this.#earnSome());
  }

  /** Resolves when the running exclusive work ends; null while none runs. */
  get moving(): Promise<void> | null {
    return this.#lock.moving;
  }

  /** Runs work alone, after the work in progress has ended. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.runExclusive(work);
  }

  /** Runs work alone, after what has fallen due. */
  runExclusiveAfterDue<T>(work: () => Promise<T>): Promise<T> {
    return this.runExclusive(() => this.#afterCatchUp(work));
  }

  /**
   * Advances the clock; see `Advance`. Throws RangeError; EventNotDue when `until` is passed without `within` and no
   * such event occurs; the signal's reason when it is aborted.
   */
  advance(given: Advance, { signal, cause = NO_REQUEST }: AdvanceOptions = {}): Promise<FiredEvent[]> {
    const to = givenAdvance(given);
    const stopAt = typeof to === 'object' && 'until' in to ? to.until : undefined;
    return this.runExclusive(async () => {
      signal?.throwIfAborted();
      const targetMs = jumpTarget(to, this.#parts.clock.nowMs());
      if (typeof to === 'object' && 'until' in to && to.within === undefined)
        await this.#checkDue(to.until, { targetMs, signal });
      signal?.throwIfAborted();
      const hasBlocks = typeof to === 'object' && 'blocks' in to;
      return this.#jump(targetMs, { stopAt, hasBlocks, signal, cause, how: 'advanced' });
    });
  }

  /** Tries an advance to an event in a fork. Throws EventNotDue when the event does not occur. */
  async #checkDue(
    until: EventKind,
    { targetMs, signal }: { targetMs: number; signal: AbortSignal | undefined },
  ): Promise<void> {
    const fork = await this.#parts.fork();
    try {
      const fired = await fork.advance({ until, within: LONGEST_WAIT }, { signal });
      if (fired.every(({ kind }) => kind !== until)) throw new EventNotDue(until, LONGEST_WAIT, targetMs);
    } finally {
      await fork.close();
    }
  }

  /** Changes the time mode from now on. */
  setMode(mode: TimeMode): void {
    const fromMs = this.#parts.clock.nowMs();
    this.#parts.clock.setMode(mode);
    this.#parts.onMoved();
    this.#tellClock('set', fromMs, NO_REQUEST);
  }

  /** Waits for a delay: in real time while the clock runs, by an advance while it is frozen. */
  async sleep(ms: number): Promise<void> {
    const mode = this.#parts.clock.mode();
    if (mode.kind === 'frozen') {
      await this.runExclusive(() => {
        const targetMs = Math.min(this.#parts.clock.nowMs() + ms, LAST_CLOCK_MS);
        return this.#jump(targetMs, { cause: NO_REQUEST, how: 'delayed' });
      });
      return;
    }
    const realMs = mode.kind === 'scaled' ? ms / mode.factor : ms;
    if (this.#parts.wait !== undefined) return this.#parts.wait(realMs);
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

  /** Ends real-time delays and the running advance, since the world is being closed. */
  endWaiting(): void {
    this.#isClosing = true;
    for (const end of this.#delays) end();
  }

  /** The instant up to which changes of rates and prices were reported, and collateral loans checked. */
  get seenMs(): Cell<number> {
    return this.#due.seenMs;
  }

  #mustCatchUp(): boolean {
    const { bank, clock } = this.#parts;
    return this.#catchingUp !== null || bank.settlement.late.size > 0 || this.#due.isDue(clock.nowMs());
  }

  /** Catches up, also with what falls due meanwhile, and runs the work. */
  async #afterCatchUp<T>(work: () => T | Promise<T>, catchUps = 1): Promise<T> {
    await this.#catchUp();
    const { clock } = this.#parts;
    return clock.still(() =>
      catchUps < MOST_CATCH_UPS && this.#due.isDue(clock.nowMs())
        ? this.#afterCatchUp(work, catchUps + 1)
        : work(),
    );
  }

  /** One run at a time, which all calls wait for: another would go on with the next event while this one carries out the first. */
  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#runDue().finally(() => {
      this.#catchingUp = null;
    });
    return this.#catchingUp;
  }

  /** Runs due work, and looks up unconfirmed transfers. */
  async #runDue(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    if (this.#due.isDue(nowMs)) await this.#due.run(nowMs, () => undefined);
    await this.#parts.bank.settlement.late.askAgain();
  }

  /** Moves the clock to an instant and runs the work that falls due up to it. Must run exclusively. */
  async #jump(
    targetMs: number,
    options: {
      stopAt?: EventKind | undefined;
      /** Whether the slots of the jump have a block. */
      hasBlocks?: boolean;
      signal?: AbortSignal | undefined;
      cause: RequestContext;
      how: 'advanced' | 'delayed';
    },
  ): Promise<FiredEvent[]> {
    const { stopAt, hasBlocks, signal, cause, how } = options;
    const fromMs = this.#parts.clock.nowMs();
    const moveTo = (atMs: number) => this.#parts.clock.jumpTo(atMs, { hasBlocks });
    let ran: Awaited<ReturnType<DueRunner['run']>>;
    try {
      ran = await this.#due.run(targetMs, moveTo, { stopAt, signal, cause });
      moveTo(ran.reachedMs);
    } finally {
      this.#parts.clock.endJump();
    }
    const { fired, reachedMs } = ran;
    this.#tellClock(how, fromMs, cause);
    if (this.#parts.bank.settlement.late.size > 0) await this.#parts.bank.settlement.late.askAgain();
    this.#parts.onMoved();
    if (reachedMs < targetMs) signal?.throwIfAborted();
    if (fired.length >= this.#parts.maxEvents)
      throw new TooManyEvents(this.#parts.maxEvents, this.#parts.clock.nowMs());
    return fired;
  }

  #tellClock(how: 'advanced' | 'delayed' | 'set', fromMs: number, cause: RequestContext): void {
    this.#parts.events.append(
      { kind: 'clock', how, fromMs, mode: this.#parts.clock.mode().kind },
      cause.requestId,
    );
  }
}
