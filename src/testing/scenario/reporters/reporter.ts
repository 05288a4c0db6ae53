import type { ScenarioResult, SuitePlan, SuiteResult } from '../results.js';

/** Where a report goes: a file, or the terminal. */
export interface Sink {
  write(text: string): void;
  /** Whether a person looks at it while it is written: then lines may be coloured and rewritten. */
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal. */
  readonly columns: number;
}

/** Tells what came of a suite, while it is played and at its end. */
export interface Reporter {
  /** Before the first scenario. */
  begin(plan: SuitePlan): void;
  /** After each scenario, in the order in which they end. */
  ended(result: ScenarioResult): void;
  /** After the last one. */
  end(suite: SuiteResult): void;
}
