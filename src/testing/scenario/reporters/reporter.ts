import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';

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
