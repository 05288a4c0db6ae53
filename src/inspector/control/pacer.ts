/** At most this share of the time is spent on reading again what is shown. */
const MOST_SHARE = 0.08;

/** Lets work run one after the other, and after each rest the longer the longer it took: a busy simulator is asked less often. */
export class Pacer {
  readonly #wait: (ms: number) => Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(wait = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))) {
    this.#wait = wait;
  }

  /** Resolves when the work has ended, before the rest; work that rejects rests as well. */
  run(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(async () => {
      const startedMs = performance.now();
      const done = work();
      const rested = () => this.#wait((performance.now() - startedMs) / MOST_SHARE);
      return { done, rest: done.then(rested, rested) };
    });
    this.#last = turn.then(({ rest }) => rest);
    return turn.then(({ done }) => done);
  }
}
