import { watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

const QUIET_MS = 150;
const SCENARIO = /\.(ya?ml|[cm]?[jt]s|csv|json)$/;

/** Calls `changed` after files beside these, or below them, have changed and been quiet for a moment. Gives a function that stops it. */
export function watchFiles(files: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const folders = new Set(files.map((file) => dirname(resolve(file))));
  const watchers = [...folders].map((folder) =>
    watch(folder, { recursive: true }, (_event, name) => {
      if (name !== null && !SCENARIO.test(name)) return;
      clearTimeout(timer);
      timer = setTimeout(changed, QUIET_MS);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
