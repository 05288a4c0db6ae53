/** This share of the time is spent on reading again what is shown. */
const SHARE = 0.04;
/** What may be spent without a rest after a time in which little was read. */
const MOST_SAVED_MS = 60;
/** How long work is done without a rest after the world was replaced, and how much of it may be unpaid for then. */
const HURRY_MS = 1_000;
const MOST_OWED_MS = 400;

/** Waits, and tells milliseconds since an arbitrary origin. */
export interface PacerClock {
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<unknown>;
}

const REAL_CLOCK: PacerClock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Lets work run one after the other: at once as long as there is time left of a share of all time, and else after a rest. So what is shown
 * follows a change without delay, and a busy simulator is asked less often.
 */
export class Pacer {
  readonly #clock: PacerClock;
  #last: Promise<unknown> = Promise.resolve();
  /** What is left to be spent, at an instant; less than none before a rest. */
  #left: { readonly ms: number; readonly atMs: number };
  #hurriedUntilMs = 0;
  #endRest: () => void = () => undefined;

  constructor(clock: PacerClock = REAL_CLOCK) {
    this.#clock = clock;
    this.#left = { ms: MOST_SAVED_MS, atMs: clock.now() };
  }

  /** Resolves when the work has ended, before the rest; work that rejects is paid for as well. */
  run(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => {
      const startedMs = this.#clock.now();
      const done = work();
      const rested = () => this.#rest(startedMs);
      return { done, rest: done.then(rested, rested) };
    });
    this.#last = turn.then(({ rest }) => rest);
    return turn.then(({ done }) => done);
  }

  /** Ends the rest, and puts off those of the next second; not while much of the time is owed already. */
  hurry(): void {
    const { ms, atMs } = this.#left;
    const nowMs = this.#clock.now();
    if (ms + (nowMs - atMs) * SHARE < -MOST_OWED_MS) return;
    this.#hurriedUntilMs = nowMs + HURRY_MS;
    this.#endRest();
  }

  async #rest(startedMs: number): Promise<void> {
    const nowMs = this.#clock.now();
    const saved = Math.min(MOST_SAVED_MS, this.#left.ms + (nowMs - this.#left.atMs) * SHARE);
    this.#left = { ms: saved - (nowMs - startedMs), atMs: nowMs };
    if (this.#left.ms >= 0 || nowMs < this.#hurriedUntilMs) return;
    const rested = this.#clock.wait(-this.#left.ms / SHARE);
    await Promise.race([rested, new Promise<void>((resolve) => (this.#endRest = resolve))]);
  }
}
