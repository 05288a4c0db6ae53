import { type FailureFile, saveFailure } from '../../testing/fuzz-library.js';
import { fileError } from '../usage.js';

/** The files of each counterexample by name. */
export type Kept = ReadonlyMap<string, readonly string[]>;

/** Writes counterexamples as they are found, so that they survive an interrupted campaign. */
export class FindFolder {
  readonly #kept = new Map<string, readonly string[]>();
  readonly #folder: string;
  /** Resolves when all are written. */
  written: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get kept(): Kept {
    return this.#kept;
  }

  /** Resolves when this one and all before it are written. */
  add(file: FailureFile): Promise<void> {
    if (this.#kept.has(file.name)) return this.written;
    this.#kept.set(file.name, []);
    this.written = this.#write(file, this.written);
    // Reported to those who wait for it.
    this.written.catch(() => undefined);
    return this.written;
  }

  async #write(file: FailureFile, before: Promise<void>): Promise<void> {
    await before;
    const paths = await saveFailure(this.#folder, file).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : fileError(`--out ${this.#folder}`, 'written', error);
    });
    this.#kept.set(file.name, paths);
  }
}
