import { NdjsonFile } from '../../core/ndjson-file.js';
import { eventJson } from './event.js';
import type { EventLog } from './log.js';

// Lines are written in batches: one system call per line would be too slow.
const BATCH = 512;
const BEHIND_MS = 20;

/** The log as a file with one JSON object per line (NDJSON), written with a short delay. */
export class LogFile {
  readonly #log: EventLog;
  readonly #file: NdjsonFile;
  readonly #stop: () => void;
  readonly #onError: (error: unknown) => void;
  #written: number;
  #writtenBytes = 0;
  #isBroken = false;
  #timer: NodeJS.Timeout | null = null;

  /**
   * Appends to the file, starting with the oldest event in memory; throws Node's error when it cannot be
   * opened. `onError` is called when a write fails, as on a full disk; writing then stops.
   */
  constructor(log: EventLog, path: string, onError: (error: unknown) => void) {
    this.#log = log;
    this.#onError = onError;
    this.#file = new NdjsonFile(path, 'a');
    this.#written = log.oldest - 1;
    this.#stop = log.onAppend(() => this.#wake());
    this.#wake();
  }

  /** Writes what is pending and closes the file. */
  close(): void {
    this.#stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flush();
    this.#try(() => this.#file.close());
  }

  #wake(): void {
    const isFull = this.#log.last - this.#written >= BATCH;
    // Flush before the log evicts events that are not written yet.
    if (isFull || this.#log.appendedBytes - this.#writtenBytes >= this.#log.maxBytes / 4) this.#flush();
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#flush();
      }, BEHIND_MS);
  }

  #flush(): void {
    this.#writtenBytes = this.#log.appendedBytes;
    this.#try(() => {
      for (; this.#written < this.#log.last; this.#written += 1) {
        const event = this.#log.at(this.#written + 1);
        if (event !== null) this.#file.line(JSON.stringify(eventJson(event)));
      }
      this.#file.flush();
    });
  }

  /** Reports the first failure; nothing is written afterwards. */
  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!this.#isBroken) this.#onError(error);
      this.#isBroken = true;
      this.#written = this.#log.last;
    }
  }
}
