import { StorageUnavailable } from '../core/journal/storage-unavailable.js';

/** So often a read is made again that has seen what could not be kept. */
const READ_TRIES = 8;

/**
 * What came of a work, once everything that it tells of is kept: a refusal, too, may tell of what another call has done. A read that has
 * seen what could not be kept is made again. Throws what the work throws, and StorageUnavailable.
 */
export async function awaitDurable<T>(
  work: (isAgain: boolean) => T | Promise<T>,
  { isRead, whenDurable }: { readonly isRead: boolean; readonly whenDurable: () => Promise<void> | null },
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    let outcome: { readonly result: T } | { readonly error: unknown };
    try {
      outcome = { result: await work(tries > 0) };
    } catch (error) {
      outcome = { error };
    }
    try {
      await whenDurable();
    } catch (error) {
      if (!isRead || tries === READ_TRIES || !(error instanceof StorageUnavailable)) throw error;
      continue;
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }
}
