const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** The message for a process that has reached its limit of open files; null for any other error. */
export function openFilesSentence(error: unknown): string | null {
  if (!(error instanceof Error) || !EXHAUSTED.has((error as NodeJS.ErrnoException).code)) return null;
  return 'too many open files; raise the limit, for example with ulimit -n 1024';
}
