import { readFileSync } from 'node:fs';
import { UnreadableRecording } from '../../testing/replay/recording-error.js';
import { UsageError } from '../usage.js';

/** Reads a file. Throws UsageError. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/** Processes a file; an unreadable or newer recording is a usage error. */
export async function reading<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnreadableRecording ? new UsageError(error.message) : error;
  }
}
