import type { FailureFile } from '../../testing/fuzz-library.js';
import { keepFailure } from './failures.js';

/** The files of each counterexample by name. */
export type Kept = ReadonlyMap<string, readonly string[]>;

/** Writes counterexamples as they are found, so that they survive an interrupted campaign. */
export class FindFolder {
  readonly #kept = new Map<string, readonly string[]>();
  readonly #folder: string;
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get kept(): Kept {
    return this.#kept;
  }

  add(file: FailureFile): void {
    if (this.#kept.has(file.name)) return;
    this.#kept.set(file.name, []);
    this.#written = this.#write(file, this.#written);
    // Reported by `written`.
    this.#written.catch(() => undefined);
  }

  async #write(file: FailureFile, before: Promise<void>): Promise<void> {
    await before;
    this.#kept.set(file.name, await keepFailure(this.#folder, file));
  }

  written(): Promise<void> {
    return this.#written;
  }
}
