import { closeSync, openSync, writeSync } from 'node:fs';
import { csvText } from '../../core/csv.js';
import { fileError } from '../usage.js';
import type { Shown } from './progress.js';

const EVERY_MS = 1_000;
const COLUMNS = ['seconds', 'property', 'runs', 'steps', 'pairs', 'goals', 'finds'];

/** Progress over time as CSV: a row a second, and one at the end. */
export class ProgressCsv {
  readonly #handle: number;
  readonly #nowMs: () => number;
  readonly #begunMs: number;
  #writtenMs = -Infinity;
  #last: { readonly shown: () => Shown; readonly finds: number } | null = null;

  /** Throws UsageError. */
  constructor(path: string, nowMs: () => number) {
    try {
      this.#handle = openSync(path, 'w');
    } catch (error) {
      throw fileError(`--csv ${path}`, 'written', error);
    }
    writeSync(this.#handle, csvText([COLUMNS]));
    this.#nowMs = nowMs;
    this.#begunMs = nowMs();
  }

  /** `shown` is called when a row is due. */
  add(shown: () => Shown, finds: number): void {
    this.#last = { shown, finds };
    if (this.#nowMs() - this.#writtenMs >= EVERY_MS) this.#write();
  }

  /** Writes the last row, unless it is written. */
  end(): void {
    if (this.#last !== null) this.#write();
    closeSync(this.#handle);
  }

  #write(): void {
    if (this.#last === null) return;
    const { shown, finds } = this.#last;
    const { property, runs, steps, pairs, goals } = shown();
    this.#writtenMs = this.#nowMs();
    const seconds = ((this.#writtenMs - this.#begunMs) / 1_000).toFixed(1);
    writeSync(this.#handle, csvText([[seconds, property, runs, steps, pairs, goals[0], finds]]));
    this.#last = null;
  }
}
