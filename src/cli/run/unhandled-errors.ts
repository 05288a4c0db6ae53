/**
 * Guards work that runs user code: unhandled errors of that code are given to `report` and do not end the process. `onExit` is called if the process exits meanwhile.
 */
export async function withUnhandledErrors<T>(
  work: () => Promise<T>,
  report: (text: string) => void,
  onExit: () => void = () => undefined,
): Promise<T> {
  const reporterOf = (what: string) => (error: unknown) => {
    const words = error instanceof Error ? error.message : String(error);
    report(`${what} in a script that did not await it: ${words}`);
  };
  const rejected = reporterOf('a promise was rejected');
  const thrown = reporterOf('an error was thrown');
  process.on('unhandledRejection', rejected);
  process.on('uncaughtException', thrown);
  process.on('exit', onExit);
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
    process.off('exit', onExit);
  }
}
