import { styleText } from 'node:util';
import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';

/** Styles a text; the plain version returns it unchanged. */
type Paint = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

export type Environment = Readonly<Record<string, string | undefined>>;

export const PLAIN: Paint = (_format, text) => text;

// The sink decides, not the process's own output.
const COLOURED: Paint = (format, text) => styleText(format, text, { validateStream: false });

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

/** Destination of a report: a file, or the terminal. */
export interface Sink {
  write(text: string): void;
  /** Whether output is interactive, so that lines can be coloured. */
  readonly isTerminal: boolean;
  readonly columns: number;
}

/** Reports the results of a suite, while it runs and at its end. */
export interface Reporter {
  begin?(plan: SuitePlan): void;
  /** Called after each scenario, in the order in which they end. */
  ended?(result: ScenarioResult): void;
  end?(suite: SuiteResult): void;
}
