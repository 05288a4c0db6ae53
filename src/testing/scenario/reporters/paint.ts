import type { Sink } from './reporter.js';

/** Styles a text; the plain version returns it unchanged. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const unchanged = (text: string) => text;

export const PLAIN: Paint = {
  bold: unchanged,
  dim: unchanged,
  red: unchanged,
  green: unchanged,
  yellow: unchanged,
};

// From Node 22 on, `styleText` of node:util checks the process's own output; here the sink decides.
const ansi = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;

const COLOURED: Paint = {
  bold: ansi(1, 22),
  dim: ansi(2, 22),
  red: ansi(31, 39),
  green: ansi(32, 39),
  yellow: ansi(33, 39),
};

export interface Style {
  /** Characters per line. */
  readonly columns: number;
  readonly paint: Paint;
}

/** The layout for a sink: 40 to 160 characters per line, 100 if the width is unknown; colours on a terminal, unless `NO_COLOR` is set. */
export function styleOf(sink: Sink, environment: Environment): Style {
  const columns = sink.columns > 0 ? Math.min(160, Math.max(40, sink.columns)) : 100;
  const isColoured = sink.isTerminal && (environment['NO_COLOR'] ?? '') === '';
  return { columns, paint: isColoured ? COLOURED : PLAIN };
}
