import { setImmediate } from 'node:timers/promises';
import { type DueParts, DueRunner, type EventKind, type FiredEvent } from './due-runner.js';
import { ReadWriteLock } from './read-write-lock.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { LAST_CLOCK_MS } from '../core/domain/calendar.js';
import { LIMITS } from '../core/limits.js';
import type { Cell } from '../core/snapshot.js';
import type { EventLog } from './events/log.js';
import type { Clock, TimeMode } from '../world/clock.js';
import { type Advance, type AdvanceOptions, LONGEST_WAIT, givenAdvance, jumpTarget } from './jump-target.js';
import { SLOT_MS } from '../chain/slots.js';
import { EventNotDue, TooManyEvents, WorldClosed } from './refusals.js';

/** Longer Node timers fire at once; the cap is about 25 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Changes of a rate between two yields to the event loop: one or two milliseconds of work. */
const CHANGES_A_TURN = 500;

/** The most catch-ups before a call, and events of each: on a very fast clock something is always due, and the call runs late. */
const MOST_CATCH_UPS = 10;
const CATCH_UP_EVENTS = LIMITS.jumpEvents.standard;

/** A separate world to try an advance in. */
interface ForkedWorld {
  advance(to: Advance, options: AdvanceOptions): Promise<FiredEvent[]>;
  close(): Promise<void>;
}

interface Parts extends Omit<DueParts, 'startMs' | 'onFired' | 'turn'> {
  readonly clock: Clock;
  readonly events: EventLog;
  /** The limit `jumpEvents`: an advance ends after this many events, with the remaining events of that instant. */
  readonly maxEvents: number;
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
  readonly #delays = new Set<(hasPassed: boolean) => void>();

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

  /** Runs an operator's work after what has fallen due. A request, which has a cause, has run that and holds the lock. */
  async runAsOperator<T>(work: () => T, cause: RequestContext | undefined): Promise<T> {
    return cause === undefined ? this.runShared(work) : work();
  }

  /** Runs shared work on the world as it is, without first running what has fallen due. */
  runWithoutCatchUp<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#lock.runShared(work);
  }

  /**
   * Computes the yield of savings until now, but no further than work that is due: it needs the yield at its own instant. Null when done, a
   * promise when it takes several event loop turns.
   */
  earn(): Promise<void> | null {
    return this.#earnSome() ? null : this.#earnRest();
  }

  #earnSome(): boolean {
    const nowMs = this.#parts.clock.nowMs();
    const untilMs = this.#due.isDue(nowMs) ? this.seenMs.value : nowMs;
    return this.#parts.oracle.earnUntil(untilMs, CHANGES_A_TURN);
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

  /** As `runExclusiveAfterDue`, but with a frozen clock the world is as it was: unconfirmed transfers are not looked up. */
  runExclusiveAfterOverdue<T>(work: () => Promise<T>): Promise<T> {
    return this.runExclusive(() =>
      this.#due.isDue(this.#parts.clock.nowMs()) ? this.#afterCatchUp(work) : work(),
    );
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
      const { clock } = this.#parts;
      const targetMs = jumpTarget(to, clock.nowMs());
      const toSlotMs =
        typeof to === 'object' && 'blocks' in to ? clock.slotMs() + to.blocks * SLOT_MS : undefined;
      if (typeof to === 'object' && 'until' in to && to.within === undefined)
        await this.#checkDue(to.until, { targetMs, signal });
      signal?.throwIfAborted();
      return this.#jump(targetMs, { stopAt, toSlotMs, signal, cause, how: 'advanced' });
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
    this.#moved();
    this.#tellClock('set', fromMs, NO_REQUEST);
  }

  /** Waits until a delay has passed in the world: while its clock is frozen, by an advance. */
  async sleep(ms: number): Promise<void> {
    const { clock } = this.#parts;
    const mode = clock.mode();
    if (mode.kind === 'frozen')
      return this.runExclusive(async () => {
        const targetMs = Math.min(clock.nowMs() + ms, LAST_CLOCK_MS);
        await this.#jump(targetMs, { cause: NO_REQUEST, how: 'delayed' });
      });
    const fromMs = clock.nowMs();
    if (await this.#wait(mode.kind === 'scaled' ? ms / mode.factor : ms)) return;
    const restMs = ms - Math.max(0, clock.nowMs() - fromMs);
    if (restMs > 0) await this.sleep(restMs);
  }

  /** Waits real milliseconds; resolves to whether they have passed, or the world is being closed. Otherwise its time was moved. */
  async #wait(realMs: number): Promise<boolean> {
    if (this.#parts.wait !== undefined) {
      await this.#parts.wait(realMs);
      return true;
    }
    return new Promise((resolve) => {
      const end = (hasPassed: boolean) => {
        clearTimeout(timer);
        this.#delays.delete(end);
        resolve(hasPassed);
      };
      const timer = setTimeout(end, Math.min(realMs, LONGEST_TIMER_MS), true);
      this.#delays.add(end);
    });
  }

  /** Ends real-time delays and the running advance, since the world is being closed. */
  endWaiting(): void {
    this.#isClosing = true;
    for (const end of this.#delays) end(true);
  }

  /** Time has moved: delays begin again with what is left of them. */
  #moved(): void {
    for (const end of this.#delays) end(false);
    this.#parts.onMoved();
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
    if (this.#due.isDue(nowMs)) await this.#due.run(nowMs, () => undefined, { maxEvents: CATCH_UP_EVENTS });
    await this.#parts.bank.settlement.late.askAgain();
  }

  /** Moves the clock to an instant and runs the work that falls due up to it. Must run exclusively. */
  async #jump(
    targetMs: number,
    options: {
      stopAt?: EventKind | undefined;
      /** The milliseconds of slots to reach; the slots of such a jump have a block. */
      toSlotMs?: number | undefined;
      signal?: AbortSignal | undefined;
      cause: RequestContext;
      how: 'advanced' | 'delayed';
    },
  ): Promise<FiredEvent[]> {
    const { stopAt, toSlotMs, signal, cause, how } = options;
    const { clock } = this.#parts;
    const maxEvents = how === 'advanced' ? this.#parts.maxEvents : Number.POSITIVE_INFINITY;
    const fromMs = clock.nowMs();
    const moveTo = (atMs: number) => clock.jumpTo(atMs, { hasBlocks: toSlotMs !== undefined });
    let ran: Awaited<ReturnType<DueRunner['run']>>;
    try {
      ran = await this.#due.run(targetMs, moveTo, { maxEvents, stopAt, signal, cause });
      moveTo(ran.reachedMs);
      // A running clock has moved on since the target was chosen, and the jump was shorter by that.
      if (toSlotMs !== undefined && ran.reachedMs === targetMs)
        clock.still(() => moveTo(clock.nowMs() + Math.ceil(toSlotMs - clock.slotMs())));
    } finally {
      clock.endJump();
    }
    const { fired, reachedMs } = ran;
    this.#tellClock(how, fromMs, cause);
    if (this.#parts.bank.settlement.late.size > 0) await this.#parts.bank.settlement.late.askAgain();
    this.#moved();
    if (reachedMs < targetMs) signal?.throwIfAborted();
    if (fired.length >= maxEvents) throw new TooManyEvents(maxEvents, clock.nowMs());
    return fired;
  }

  #tellClock(how: 'advanced' | 'delayed' | 'set', fromMs: number, cause: RequestContext): void {
    this.#parts.events.append(
      { kind: 'clock', how, fromMs, mode: this.#parts.clock.mode().kind },
      cause.requestId,
    );
  }
}
