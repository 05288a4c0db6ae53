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

/** Real milliseconds in which this program closes what it has opened itself. */
const CLOSING_MS = 1_000;

/** Ends this process once its output has been read, even if code of the user's has left something open that would keep it alive. */
export async function endDespiteOpenHandles(): Promise<void> {
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => void stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
  const end = () => {
    process.stderr.write('sim: a script left a timer or server open\n', () => process.exit());
  };
  // It does not fire in a process that ends by itself.
  setTimeout(end, CLOSING_MS).unref();
}

/** How the work of a command was interrupted. */
export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  readonly received: Signal | null;
  /** 130 after SIGINT, 143 after SIGTERM, 141 after a closed output; null without an interrupt. */
  readonly exitCode: number | null;
  /** Whether a second signal ends the process. */
  readonly isForced: boolean;
}

/**
 * Runs work that can stop cleanly. The first SIGINT or SIGTERM, or a closed output, aborts `signal`: the work starts nothing more and reports its results so far. A second signal ends the process immediately. `isQuiet` suppresses the message about current work, for commands that only wait.
 */
export async function interruptible<T>(
  work: (interrupts: Interrupts) => Promise<T>,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {},
): Promise<T> {
  const controller = new AbortController();
  const now = {
    signal: controller.signal,
    received: null as Signal | null,
    exitCode: null as number | null,
    isForced: false,
  };
  const interrupt = (name: Signal): void => {
    if (now.received !== null) {
      if (name === 'SIGPIPE') return;
      now.isForced = true;
      process.exit(CODES[name]);
    }
    now.received = name;
    now.exitCode = CODES[name];
    const clear = process.stderr.isTTY ? '\r\u001b[K' : '';
    if (!isQuiet)
      process.stderr.write(
        `${clear}sim: ${name}: stopping after the current work; a second signal stops immediately\n`,
      );
    controller.abort();
  };
  const closed = () => interrupt('SIGPIPE');
  for (const name of SIGNALS) process.on(name, interrupt);
  readerGone.add(closed);
  try {
    return await work(now);
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
    readerGone.delete(closed);
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
