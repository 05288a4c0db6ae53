import { EXIT } from '../usage.js';

/**
 * Guards work that runs user code. Unhandled errors of that code do not end the process; they are reported and counted as failures. An early exit of the process also counts, unless `isForced` returns true.
 */
export async function withUnhandledErrors<T>(
  work: () => Promise<T>,
  isForced: () => boolean,
): Promise<{ result: T; mishaps: number }> {
  const state = { mishaps: 0 };
  const reporterOf = (what: string) => (error: unknown) => {
    state.mishaps += 1;
    const words = error instanceof Error ? error.message : String(error);
    process.stderr.write(`sim: ${what} in a script that did not await it: ${words}\n`);
  };
  const rejected = reporterOf('a promise was rejected');
  const thrown = reporterOf('an error was thrown');
  const ended = () => {
    if (isForced()) return;
    process.stderr.write('sim: a script ended the process before all scenarios had run\n');
    process.exitCode = EXIT.failed;
  };
  process.on('unhandledRejection', rejected);
  process.on('uncaughtException', thrown);
  process.on('exit', ended);
  try {
    const result = await work();
    // Unhandled rejections are reported one turn later.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return { result, mishaps: state.mishaps };
  } finally {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtException', thrown);
    process.off('exit', ended);
  }
}
