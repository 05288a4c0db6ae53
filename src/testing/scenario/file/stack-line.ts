import { findSourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Location in a stack frame: a path or URL, its query, line and column. */
const PLACE = /([^\s(][^(?]*)(\?[^:]*)?:(\d+):(\d+)\)?$/;

/**
 * The line, from 1, of the innermost stack frame in the file at the absolute path; null if there is none. Node maps stacks to source
 * lines by itself, unless they are prepared by another tool, such as a test runner. Files that the TypeScript loader wraps as CommonJS
 * have no frame.
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
