import { Coverage, type CoverageRow, rowsOf } from './coverage.js';
import { ALL_GOALS, type Approaches, Goals } from './goals.js';
import type { Summary } from './summary.js';

/** What some runs reached, as plain JSON. */
export interface Reached {
  readonly runs: number;
  readonly steps: number;
  /** In order of discovery. */
  readonly coverage: readonly CoverageRow[];
  readonly goals: Readonly<Record<string, number>>;
  readonly approaches: Approaches;
}

/** Adds up what runs reached, in their order. */
export class Tally {
  readonly coverage = new Coverage();
  readonly goals: Goals;
  runs = 0;
  steps = 0;

  /** `wanted`: the goals to count. */
  constructor(wanted: readonly string[] = ALL_GOALS) {
    this.goals = new Goals(wanted);
  }

  append({ runs, steps, coverage, goals, approaches }: Reached): void {
    this.coverage.append(coverage, this.steps);
    this.goals.merge(goals, approaches);
    this.runs += runs;
    this.steps += steps;
  }

  appendSummary(summary: Summary): void {
    this.append({ ...summary, coverage: rowsOf(summary) });
  }

  /** The members of a summary about what was reached. */
  reached(): Pick<Summary, 'coverage' | 'discoveries' | 'goals' | 'approaches' | 'outcomes'> {
    const { coverage, goals } = this;
    return {
      coverage: coverage.counts(),
      discoveries: coverage.discoveries(),
      goals: goals.counts(),
      approaches: goals.approaches(),
      outcomes: coverage.outcomes(),
    };
  }
}
