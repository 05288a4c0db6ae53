/** Exit codes after a signal, by shell convention. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type Signal = keyof typeof CODES;

const SIGNALS = Object.keys(CODES) as readonly Signal[];

/**
 * Lets a command stop cleanly. The first SIGINT or SIGTERM aborts `signal`: the command starts no more work and reports what it has done.
 * A second one ends the process at once.
 */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #listener = (name: Signal) => this.#interrupt(name);
  #received: Signal | null = null;
  #isForced = false;

  private constructor() {
    for (const name of SIGNALS) process.on(name, this.#listener);
  }

  /** Runs interruptible work. */
  static async during<T>(work: (interrupts: Interrupts) => Promise<T>): Promise<T> {
    const interrupts = new Interrupts();
    try {
      return await work(interrupts);
    } finally {
      for (const name of SIGNALS) process.off(name, interrupts.#listener);
    }
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first signal; null if there was none. */
  get received(): Signal | null {
    return this.#received;
  }

  /** Whether a second signal ends the process. */
  get isForced(): boolean {
    return this.#isForced;
  }

  /** 130 after SIGINT, 143 after SIGTERM; null if there was none. */
  get exitCode(): number | null {
    return this.#received === null ? null : CODES[this.#received];
  }

  #interrupt(name: Signal): void {
    if (this.#received !== null) {
      this.#isForced = true;
      process.exit(CODES[name]);
    }
    this.#received = name;
    const clear = process.stderr.isTTY ? '\r\u001b[K' : '';
    process.stderr.write(
      `${clear}sim: ${name}: stopping after the current work; a second signal stops immediately\n`,
    );
    this.#controller.abort();
  }
}

/** Resolves when a signal is aborted. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** For worker processes: Ctrl-C reaches parent and worker, and the parent decides. Ends this process when the parent is gone. */
export function followParent(): void {
  for (const name of SIGNALS) process.on(name, () => undefined);
  process.once('disconnect', () => process.exit());
}
