import { type FailureFile, saveFailure } from '../../testing/fuzz-library.js';
import { fileError } from '../usage.js';

/** The files of each counterexample by name. */
export type Kept = ReadonlyMap<string, readonly string[]>;

/** Writes counterexamples as they are found, so that they survive an interrupted campaign. */
export class FindFolder {
  readonly kept = new Map<string, readonly string[]>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(file: FailureFile): Promise<void> {
    if (this.kept.has(file.name)) return;
    this.kept.set(file.name, []);
    const paths = await saveFailure(this.#folder, file).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === undefined ? error : fileError(`--out ${this.#folder}`, 'written', error);
    });
    this.kept.set(file.name, paths);
  }
}
