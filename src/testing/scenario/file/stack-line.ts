import { readFileSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Location in a stack frame: a path or URL, its query, line and column. */
const PLACE = /([^\s(][^(?]*)(\?[^:]*)?:(\d+):(\d+)\)?$/;

/** Whether a text contains the location. The loader packs compiled code into one line, whose columns lie far outside the source. */
function hasLocation(text: string, line: number, column: number): boolean {
  return column <= (text.split('\n')[line - 1]?.length ?? -1) + 1;
}

/**
 * The line, from 1, of the innermost stack frame in the file at the absolute path; null if there is none. Node maps stacks to source lines unless another tool, such as a test runner, prepares them. On Node 20, files that the TypeScript loader wraps as CommonJS have no frame.
 */
export function lineInFile(stack: string | undefined, path: string): number | null {
  const { href } = pathToFileURL(path);
  for (const frame of stack?.split('\n') ?? []) {
    const [, place = '', query = '', ...numbers] = PLACE.exec(frame.replace(/^\s*at (?:async )?/, '')) ?? [];
    if (place !== path && place !== href) continue;
    const [line = 0, column = 0] = numbers.map(Number);
    if (place + query === path && hasLocation(readFileSync(path, 'utf8'), line, column)) return line;
    const entry = findSourceMap(place + query)?.findEntry(line - 1, column - 1);
    return entry !== undefined && 'originalLine' in entry ? entry.originalLine + 1 : line;
  }
  return null;
}
