import { LogFile } from '../runtime/events/log-file.js';
import type { EventLog } from '../runtime/events/log.js';

/** The log files of a world. */
export class LogFiles {
  readonly #events: EventLog;
  readonly #files = new Set<LogFile>();

  constructor(events: EventLog) {
    this.#events = events;
  }

  /** Appends all events from now on to a file. Throws Node's error. */
  add(path: string): void {
    const onError = (error: unknown) =>
      console.error(`agent-bank-sim: the log ${path} cannot be written any more:`, error);
    this.#files.add(new LogFile(this.#events, path, onError));
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}
