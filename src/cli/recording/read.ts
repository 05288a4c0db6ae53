import { UnreadableRecording } from '../../recording/replay/read-recording.js';
import { UsageError } from '../usage.js';

/** Processes a recording. Throws UsageError for a file that is unreadable or has a newer format. */
export async function reading<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnreadableRecording ? new UsageError(error.message) : error;
  }
}
