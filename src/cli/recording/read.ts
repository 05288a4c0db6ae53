import { UnreadableRecording } from '../../recording/replay/read-recording.js';
import { UsageError } from '../usage.js';

/** Processes a file; an unreadable or newer recording is a usage error. */
export async function reading<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnreadableRecording ? new UsageError(error.message) : error;
  }
}
