import type { Pacer } from './pacer.js';

/** Reads on request, one reading at a time: the first at once, later ones paced. */
export class Repeater {
  readonly #pacer: Pacer;
  readonly #read: (signal: AbortSignal) => Promise<void>;
  readonly #stop = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #isFirst = true;
  #isDue = false;

  /** `read` must not reject. */
  constructor(pacer: Pacer, read: (signal: AbortSignal) => Promise<void>) {
    this.#pacer = pacer;
    this.#read = read;
  }

  /** Reads once more, after the reading in progress. */
  poke(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const read = () =>
      this.inTurn((signal) => {
        this.#isDue = false;
        return this.#read(signal);
      });
    void (this.#isFirst ? read() : this.#last.then(() => this.#pacer.run(read)));
    this.#isFirst = false;
  }

  /** Runs other work that must not overlap with a reading; does nothing after a stop. */
  inTurn(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    this.#last = this.#last.then(() => (signal.aborted ? undefined : work(signal)));
    return this.#last;
  }

  stop(): void {
    this.#stop.abort();
  }
}
