/** A read-write lock: shared calls run together, exclusive work runs alone. */
export class ReadWriteLock {
  readonly #turn: () => Promise<unknown>;
  #inside = 0;
  #closed: Promise<void> | null = null;
  #emptied: (() => void) | null = null;
  /** Resolves when the running exclusive work ends; null while none runs. */
  #moving: Promise<void> | null = null;
  /** Exclusive work has run in this event loop turn. */
  #isTurnSpent = false;

  /** `turn` yields to work outside the lock, such as responses and disk writes. */
  constructor(turn: () => Promise<unknown>) {
    this.#turn = turn;
  }

  /** Runs `work` together with other shared work; synchronously when nothing exclusive runs or waits. */
  runShared<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#closed !== null) return this.#closed.then(() => this.runShared(work));
    this.#inside += 1;
    let result: T | Promise<T>;
    try {
      result = work();
    } catch (error) {
      this.#leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => this.#leave());
    this.#leave();
    return result;
  }

  /** Runs `work` alone, after the work in progress has ended. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const mustYield = this.#closed !== null || this.#isTurnSpent;
    while (this.#closed !== null) {
      await this.#closed;
      // Shared work that waits as well goes first: otherwise it would wait for every exclusive work in the queue.
      await Promise.resolve();
    }
    let open: () => void = () => undefined;
    this.#closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.#inside > 0) {
        await new Promise<void>((resolve) => {
          this.#emptied = resolve;
        });
      }
      // Without it, no response is sent, no shared call completes, and no idle world can be persisted before the whole queue has run.
      if (mustYield) await this.#turn();
      this.#moving = this.#closed;
      return await work();
    } finally {
      this.#emptied = null;
      this.#moving = null;
      this.#closed = null;
      open();
      void this.#spendTurn();
    }
  }

  /** Resolves when the running exclusive work ends; null while none runs. */
  get moving(): Promise<void> | null {
    return this.#moving;
  }

  async #spendTurn(): Promise<void> {
    if (this.#isTurnSpent) return;
    this.#isTurnSpent = true;
    await this.#turn();
    this.#isTurnSpent = false;
  }

  #leave(): void {
    this.#inside -= 1;
    if (this.#inside === 0) this.#emptied?.();
  }
}
