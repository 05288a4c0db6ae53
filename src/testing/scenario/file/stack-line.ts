import { findSourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';

/** A place in a frame of a stack: a path or URL without its query, the query, line and column. */
const PLACE = /([^\s(][^(?]*)(\?[^:]*)?:(\d+):(\d+)\)?$/;

/**
 * The line, from 1, of the innermost frame of a stack that is in the file at the absolute path; null when no frame is. Node maps stacks to
 * the author's lines by itself, unless something else prepares them, as test runners do. What the TypeScript loader wraps as CommonJS has
 * no frame in its file.
 */
export function lineInFile(stack: string | undefined, path: string): number | null {
  const { href } = pathToFileURL(path);
  for (const frame of stack?.split('\n') ?? []) {
    const [, place = '', query = '', line = '', column = ''] =
      PLACE.exec(frame.replace(/^\s*at (?:async )?/, '')) ?? [];
    if (place === path) return Number(line);
    if (place !== href) continue;
    const entry = findSourceMap(href + query)?.findEntry(Number(line) - 1, Number(column) - 1);
    return entry !== undefined && 'originalLine' in entry ? entry.originalLine + 1 : Number(line);
  }
  return null;
}
