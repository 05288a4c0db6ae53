import type { AccountState } from '../model/types.js';
import { type CoverageRow, pairKey } from './coverage.js';
import { ALL_GOALS, type Approaches, LIMITS, goalsReached } from './goals.js';

/** What some runs reached, as plain JSON. */
export interface Reached {
  readonly runs: number;
  readonly steps: number;
  /** In order of discovery. */
  readonly coverage: readonly CoverageRow[];
  readonly goals: Readonly<Record<string, number>>;
  /** How close limits came: 1 is exactly full. */
  readonly approaches: Approaches;
}

const LIMIT_RATIOS = Object.entries(LIMITS);

/** Adds up what runs reached, in their order. */
export class Tally {
  readonly #pairs = new Map<string, { count: number; readonly steps: number }>();
  readonly #goals: Map<string, number>;
  readonly #approaches = new Map<string, number>(LIMIT_RATIOS.map(([limit]) => [limit, 0]));
  runs = 0;
  steps = 0;

  /** `wanted`: the goals to count; others are ignored. */
  constructor(wanted: readonly string[] = ALL_GOALS) {
    this.#goals = new Map(wanted.map((goal) => [goal, 0]));
  }

  /** Counts a step, with the state of its agent before and after it. Returns the key of its pair if that is new, or else null. */
  note(
    command: string,
    outcome: string,
    { before, after }: { readonly before: AccountState | null; readonly after: AccountState | null },
  ): string | null {
    this.steps += 1;
    for (const goal of goalsReached(outcome, after)) this.#reach(goal, 1);
    if (after !== null) for (const [limit, ratio] of LIMIT_RATIOS) this.#approach(limit, ratio(after));
    const key = pairKey(before, command, outcome);
    const isNew = !this.#pairs.has(key);
    this.#cover([key, 1, this.steps]);
    return isNew ? key : null;
  }

  /** Adds what later runs reached. */
  append({ runs, steps, coverage, goals, approaches }: Reached): void {
    for (const [key, count, since] of coverage) this.#cover([key, count, this.steps + since]);
    for (const [goal, times] of Object.entries(goals)) this.#reach(goal, times);
    for (const [limit, share] of Object.entries(approaches)) this.#approach(limit, share);
    this.runs += runs;
    this.steps += steps;
  }

  reached(): Reached {
    return {
      runs: this.runs,
      steps: this.steps,
      coverage: [...this.#pairs].map(([key, { count, steps }]) => [key, count, steps]),
      goals: Object.fromEntries(this.#goals),
      approaches: Object.fromEntries(this.#approaches),
    };
  }

  #cover([key, count, steps]: CoverageRow): void {
    const known = this.#pairs.get(key);
    if (known === undefined) this.#pairs.set(key, { count, steps });
    else known.count += count;
  }

  #reach(goal: string, times: number): void {
    const before = this.#goals.get(goal);
    if (before !== undefined) this.#goals.set(goal, before + times);
  }

  #approach(limit: string, share: number): void {
    if (share > (this.#approaches.get(limit) ?? 0)) this.#approaches.set(limit, share);
  }
}
