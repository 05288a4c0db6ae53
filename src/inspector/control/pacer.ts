/** The share of the time for reading content again. */
const SHARE = 0.04;
/** The most time spent without a rest after a period of little reading. */
const MOST_SAVED_MS = 60;
/** The span without rests after the world was replaced, and the most debt then. */
const HURRY_MS = 1_000;
const MOST_OWED_MS = 400;

/**
 * Runs work one after the other: at once while a share of all time is left, otherwise after a rest. The page thus follows a change without
 * delay, and sends fewer requests to a busy simulator.
 */
export class Pacer {
  #last: Promise<unknown> = Promise.resolve();
  /** The time left to spend at an instant; negative before a rest. */
  #left = { ms: MOST_SAVED_MS, atMs: performance.now() };
  #hurriedUntilMs = 0;
  #endRest: () => void = () => undefined;

  /** Resolves when the work has ended, before the rest; rejected work counts as well. */
  run(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => {
      const startedMs = performance.now();
      const done = work();
      const rested = () => this.#rest(startedMs);
      return { done, rest: done.then(rested, rested) };
    });
    this.#last = turn.then(({ rest }) => rest);
    return turn.then(({ done }) => done);
  }

  /** Ends the rest, and postpones the rests of the next second, unless the debt is large already. */
  hurry(): void {
    const { ms, atMs } = this.#left;
    const nowMs = performance.now();
    if (ms + (nowMs - atMs) * SHARE < -MOST_OWED_MS) return;
    this.#hurriedUntilMs = nowMs + HURRY_MS;
    this.#endRest();
  }

  async #rest(startedMs: number): Promise<void> {
    const nowMs = performance.now();
    const saved = Math.min(MOST_SAVED_MS, this.#left.ms + (nowMs - this.#left.atMs) * SHARE);
    this.#left = { ms: saved - (nowMs - startedMs), atMs: nowMs };
    if (this.#left.ms >= 0 || nowMs < this.#hurriedUntilMs) return;
    await new Promise<void>((resolve) => {
      this.#endRest = resolve;
      setTimeout(resolve, -this.#left.ms / SHARE);
    });
  }
}
