import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Tells when something changes in the folder of a file, so also when another file takes its name. */
export class Changes {
  readonly #watchers: readonly FSWatcher[];
  readonly #ending: AbortSignal;
  #hasChanged = false;
  #wake: (() => void) | null = null;

  /** Watches until it is closed. Throws errors of the system. */
  constructor(path: string, ending: AbortSignal) {
    this.#ending = ending;
    // What a link points to may be in another folder.
    const folders = new Set([dirname(path), dirname(realpathSync(path))]);
    this.#watchers = [...folders].map((folder) => watch(folder, this.#change).on('error', this.#change));
    ending.addEventListener('abort', this.#change);
  }

  /** Resolves when something has changed since it resolved the last time, or when it is to end. */
  async next(): Promise<void> {
    if (!this.#hasChanged && !this.#ending.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#hasChanged = false;
  }

  close(): void {
    this.#ending.removeEventListener('abort', this.#change);
    for (const watcher of this.#watchers) watcher.close();
  }

  readonly #change = (): void => {
    this.#hasChanged = true;
    this.#wake?.();
    this.#wake = null;
  };
}
