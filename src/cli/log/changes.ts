import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Watches the folder of a file, and so notices when the file is replaced. */
export class Changes {
  readonly #watchers: readonly FSWatcher[];
  readonly #ending: AbortSignal;
  #hasChanged = false;
  #wake: (() => void) | null = null;

  /** Watches until closed. Throws errors of the system. */
  constructor(path: string, ending: AbortSignal) {
    this.#ending = ending;
    // The target of a link may be in another folder.
    const folders = new Set([dirname(path), dirname(realpathSync(path))]);
    this.#watchers = [...folders].map((folder) => watch(folder, this.#change).on('error', this.#change));
    ending.addEventListener('abort', this.#change);
  }

  /** Resolves after the next change since it last resolved, or when closed. */
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
