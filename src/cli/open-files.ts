const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** What to do when the system lets this process open no more files; null for any other error. */
export function openFilesSentence(error: unknown): string | null {
  if (!(error instanceof Error) || !EXHAUSTED.has((error as NodeJS.ErrnoException).code)) return null;
  return 'the system lets this process open no more files; raise the limit, as by ulimit -n 1024';
}
