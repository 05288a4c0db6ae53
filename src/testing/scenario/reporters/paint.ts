import type { Sink } from './reporter.js';

/** Gives a text a colour or a weight; a plain one gives it back as it is. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Variables of the environment by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const runWithoutCatchUp = (text: string) => text;

/** For files and pipes. */
export const PLAIN: Paint = {
  bold: runWithoutCatchUp,
  dim: runWithoutCatchUp,
  red: runWithoutCatchUp,
  green: runWithoutCatchUp,
  yellow: runWithoutCatchUp,
};

// `styleText` of node:util looks at the process's own output from Node 22 on; here the sink decides.
const ansi = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;

const COLOURED: Paint = {
  bold: ansi(1, 22),
  dim: ansi(2, 22),
  red: ansi(31, 39),
  green: ansi(32, 39),
  yellow: ansi(33, 39),
};

/** Colours for a terminal, unless `NO_COLOR` is set to anything. */
export function paintOf(sink: Sink, environment: Environment): Paint {
  return sink.isTerminal && (environment['NO_COLOR'] ?? '') === '' ? COLOURED : PLAIN;
}

/** How a text is laid out. */
export interface Style {
  /** Characters in a line. */
  readonly columns: number;
  readonly paint: Paint;
}

/** The layout for a sink: lines of 40 to 160 characters, of 100 where the width is not known. */
export function styleOf(sink: Sink, environment: Environment): Style {
  const columns = sink.columns > 0 ? Math.min(160, Math.max(40, sink.columns)) : 100;
  return { columns, paint: paintOf(sink, environment) };
}
