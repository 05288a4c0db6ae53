/** Lets calls run together, but keeps everything out while the whole world is being moved. */
export class ReadWriteLock {
  readonly #turn: () => Promise<unknown>;
  #inside = 0;
  #closed: Promise<void> | null = null;
  #emptied: (() => void) | null = null;
  /** Kept when exclusive work that runs has ended; null while none runs. */
  #moving: Promise<void> | null = null;

  /** `turn` lets what is not at this gate go on, such as answers and disks. */
  constructor(turn: () => Promise<unknown>) {
    this.#turn = turn;
  }

  /** Runs `work` together with other shared work; at once, and to its end if it can, when nothing is in the way. */
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

  /** Runs `work` alone, after what is under way has ended. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const isInLine = this.#closed !== null;
    while (this.#closed !== null) await this.#closed;
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
      // Else nobody would be answered, or have a world at rest to write down, before the whole line has gone through.
      if (isInLine) await this.#turn();
      this.#moving = this.#closed;
      return await work();
    } finally {
      this.#emptied = null;
      this.#moving = null;
      this.#closed = null;
      open();
    }
  }

  /** The end of work that runs alone; null while none does. */
  get moving(): Promise<void> | null {
    return this.#moving;
  }

  #leave(): void {
    this.#inside -= 1;
    if (this.#inside === 0) this.#emptied?.();
  }
}
