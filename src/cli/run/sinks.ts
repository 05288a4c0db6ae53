import { closeSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Reporter, Sink } from '../../testing/scenario/reporters/reporter.js';
import { REPORTERS, type ReporterChoice, parseReporter } from '../../testing/scenario/reporters/reporters.js';
import { UsageError, openReport, reading, writing } from '../usage.js';

export interface Reports {
  readonly reporters: readonly Reporter[];
  readonly close: () => void;
}

const FILE_COLUMNS = 110;

function terminal(): Sink {
  const { stdout } = process;
  return {
    write: (text) => {
      stdout.write(text);
    },
    isTerminal: stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : FILE_COLUMNS,
  };
}

/** Opens the requested reporters, such as `pretty` and `junit:out/report.xml`. Throws UsageError. */
export function openReports(given: readonly string[]): Reports {
  const files: number[] = [];
  const sinkOf = ({ file }: ReporterChoice): Sink => {
    if (file === null) return terminal();
    const handle = openReport('--reporter', file);
    files.push(handle);
    const write = (text: string) => void writing(`--reporter: ${file}`, () => writeSync(handle, text));
    return { write, isTerminal: false, columns: FILE_COLUMNS };
  };
  const choices = given.map((text) => reading(`--reporter ${text}: `, () => parseReporter(text)));
  const places = choices.map(({ file }) => file && resolve(file));
  const shared = places.find((place, at) => places.indexOf(place) < at);
  if (shared === null)
    throw new UsageError(
      '--reporter: only one can write to the terminal; write the others to files, such as junit:report.xml',
    );
  if (shared !== undefined) throw new UsageError(`--reporter: two reports cannot share the file ${shared}`);
  return {
    reporters: choices.map((choice) => REPORTERS[choice.name](sinkOf(choice))),
    close: () => {
      for (const file of files) closeSync(file);
    },
  };
}
