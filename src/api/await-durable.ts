import { StorageUnavailable } from '../core/journal/storage-unavailable.js';

/** How often a read is retried that has seen changes which were rolled back. */
const READ_TRIES = 8;

/**
 * Returns the result of `work` once its effects are durable; a refusal waits too, since it may reveal what another call has done.
 * A read that has seen changes which were rolled back is retried. Throws what the work throws, and StorageUnavailable.
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
