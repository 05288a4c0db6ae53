import { once } from 'node:events';

/** Exit codes after a signal, by shell convention. A closed output counts as SIGPIPE. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;

type Signal = keyof typeof CODES;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Listeners for a closed output. Not listeners of SIGPIPE: once the last one is removed, SIGPIPE would end the process at a closed socket. */
const readerGone = new Set<() => void>();

/**
 * Ends this process when the reader of its output has closed, such as `| head`: by an interrupt if the command handles interrupts, otherwise immediately. Standard streams are never destroyed, so every further write reports the error again.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (readerGone.size === 0) process.exit(process.exitCode ?? CODES.SIGPIPE);
      for (const tell of readerGone) tell();
    });
}

/**
 * Lets a command stop cleanly. The first SIGINT or SIGTERM, or a closed output, aborts `signal`: the command starts no more work and reports its results so far. A second signal ends the process immediately.
 */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #listener = (name: Signal) => this.#interrupt(name);
  readonly #readerGone = () => this.#interrupt('SIGPIPE');
  readonly #isQuiet: boolean;
  #received: Signal | null = null;
  #isForced = false;

  private constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet;
    for (const name of SIGNALS) process.on(name, this.#listener);
    readerGone.add(this.#readerGone);
  }

  /** Runs interruptible work. `isQuiet` suppresses the message about current work, for commands that only wait. */
  static async during<T>(
    work: (interrupts: Interrupts) => Promise<T>,
    { isQuiet = false }: { readonly isQuiet?: boolean } = {},
  ): Promise<T> {
    const interrupts = new Interrupts(isQuiet);
    try {
      return await work(interrupts);
    } finally {
      for (const name of SIGNALS) process.off(name, interrupts.#listener);
      readerGone.delete(interrupts.#readerGone);
    }
  }

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

  /** 130 after SIGINT, 143 after SIGTERM, 141 after a closed output; null without an interrupt. */
  get exitCode(): number | null {
    return this.#received === null ? null : CODES[this.#received];
  }

  #interrupt(name: Signal): void {
    if (this.#received !== null) {
      if (name === 'SIGPIPE') return;
      this.#isForced = true;
      process.exit(CODES[name]);
    }
    this.#received = name;
    const clear = process.stderr.isTTY ? '\r\u001b[K' : '';
    if (!this.#isQuiet)
      process.stderr.write(
        `${clear}sim: ${name}: stopping after the current work; a second signal stops immediately\n`,
      );
    this.#controller.abort();
  }
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** For worker processes. Ctrl-C reaches the parent and the worker; the parent decides. Ends this process when the parent has exited. */
export function followParent(): void {
  for (const name of SIGNALS) process.on(name, () => undefined);
  readerGone.add(() => undefined);
  process.once('disconnect', () => process.exit());
}
