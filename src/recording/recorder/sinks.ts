import type { NdjsonFile } from '../../core/ndjson-file.js';

/** The destination of a recording's lines: a file, or memory. */
export type Sink = Pick<NdjsonFile, 'line' | 'flush' | 'close'>;

/** Holds a recording in memory, up to a number of characters. Throws RangeError for a line beyond it. */
export function memorySink(limit: number): Sink & { readonly text: () => string } {
  const lines: string[] = [];
  let size = 0;
  return {
    line: (line) => {
      size += line.length;
      if (size > limit) throw new RangeError(`the recording would be longer than ${limit} characters`);
      lines.push(`${line}\n`);
    },
    flush: () => undefined,
    close: () => undefined,
    text: () => lines.join(''),
  };
}
