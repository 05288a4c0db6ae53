import { watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

const QUIET_MS = 150;
const SCENARIO = /\.(ya?ml|[cm]?[jt]s|csv|json)$/;

/** Yields once immediately, then after each burst of changes to these files or their folders. */
export async function* changes(files: readonly string[], stop: AbortSignal): AsyncGenerator<void> {
  let timer: NodeJS.Timeout | undefined;
  let wake: () => void = () => undefined;
  const pending = { isChanged: true };
  const folders = new Set(files.map((file) => dirname(resolve(file))));
  const watchers = [...folders].map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name !== null && !SCENARIO.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        pending.isChanged = true;
        wake();
      }, QUIET_MS);
    }),
  );
  stop.addEventListener('abort', () => wake());
  while (!stop.aborted) {
    if (pending.isChanged) {
      pending.isChanged = false;
      yield;
    } else {
      await new Promise<void>((done) => {
        wake = done;
      });
    }
  }
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
}
