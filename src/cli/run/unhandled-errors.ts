import { EXIT } from '../usage.js';

/** Guards work that runs user code: unhandled errors of that code are given to `report` and do not end the process. */
export async function withUnhandledErrors<T>(
  work: () => Promise<T>,
  report: (text: string) => void,
): Promise<T> {
  const reporterOf = (what: string) => (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    report(`${what} in a script that did not await it: ${words}`);
  };
  const rejected = reporterOf('a promise was rejected');
  const thrown = reporterOf('an error was thrown');
  process.on('unhandledRejection', rejected);
  process.on('uncaughtException', thrown);
  try {
    const result = await work();
    // Unhandled rejections are reported one turn later.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return result;
  } finally {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtException', thrown);
  }
}

/** An exit of the process within the work is reported and counted as a failure, unless `isForced` returns true. */
export async function withEarlyExits<T>(work: () => Promise<T>, isForced: () => boolean): Promise<T> {
  const ended = () => {
    if (isForced()) return;
    process.stderr.write('sim: a script ended the process before all scenarios had run\n');
    process.exitCode = EXIT.failed;
  };
  process.on('exit', ended);
  try {
    return await work();
  } finally {
    process.off('exit', ended);
  }
}
