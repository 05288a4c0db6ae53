import type { AccountState } from '../model/types.js';
import { ALL_GOALS, type Approaches, LIMITS, goalsReached } from './goals.js';

function share(used: bigint, limit: bigint): 'none' | 'part' | 'full' {
  return used <= 0n ? 'none' : used < limit ? 'part' : 'full';
}

const WORST = ['defaulted', 'overdue', 'active', 'pending_review', 'repaid', 'denied'] as const;

function worstLoan(loans: AccountState['loans']): string {
  return WORST.find((status) => loans.some((each) => each.status === status)) ?? 'no loan';
}

/** Classifies an agent's state: which balances are zero, which limits are reached, the status of its loans. */
function stateClass(accountState: AccountState): string {
  const { checking, savings, loans, collateralDebtBase, collateralLimitBase } = accountState;
  const sums = `${checking.USDC > 0n ? 'usdc' : '-'} ${checking.SOL > 0n ? 'sol' : '-'} ${savings.USDC > 0n ? 'saves' : '-'}`;
  const debt = share(collateralDebtBase, collateralLimitBase);
  const withdrew = share(accountState.withdrawnMicroUsd, accountState.withdrawalLimitMicroUsd);
  const paid = share(accountState.paidMicroUsd, accountState.paymentLimitMicroUsd);
  return `${sums} debt ${debt} withdrew ${withdrew} paid ${paid} ${worstLoan(loans)}`;
}

const BETWEEN = ' | ';

/**
 * The key of a pair (an agent's state, a command played in it, and its outcome), how often it was reached, and the steps up to its first
 * occurrence.
 */
export type CoverageRow = readonly [key: string, count: number, steps: number];

/** A reached pair, split into its parts. */
export interface Pair {
  readonly state: string;
  readonly command: string;
  readonly outcome: string;
  readonly count: number;
}

export function pairsOf(coverage: readonly CoverageRow[]): Pair[] {
  return coverage.map(([key, count]) => {
    const [state = '', ...parts] = key.split(BETWEEN);
    return { state, command: parts.slice(0, -1).join(BETWEEN), outcome: parts.at(-1) ?? '', count };
  });
}

/** Sums counts by name, largest first; equal counts by name. */
export function summedBy<T extends { readonly count: number }>(
  counted: readonly T[],
  nameOf: (each: T) => string,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const each of counted) sums.set(nameOf(each), (sums.get(nameOf(each)) ?? 0) + each.count);
  return [...sums].toSorted(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

/** How often each `command outcome` was reached, by name. */
export function outcomesOf(coverage: readonly CoverageRow[]): Record<string, number> {
  const sums = summedBy(pairsOf(coverage), ({ command, outcome }) => `${command} ${outcome}`);
  return Object.fromEntries(sums.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

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
    const key = [before === null ? 'nobody' : stateClass(before), command, outcome].join(BETWEEN);
    const isNew = !this.#pairs.has(key);
    this.#cover([key, 1, this.steps]);
    return isNew ? key : null;
  }

  /** Adds what later runs reached. */
  append({ runs, steps, coverage, goals, approaches }: Reached): void {
    for (const [key, count, since] of coverage) this.#cover([key, count, this.steps + since]);
    for (const [goal, times] of Object.entries(goals)) this.#reach(goal, times);
    for (const [limit, ratio] of Object.entries(approaches)) this.#approach(limit, ratio);
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

  #approach(limit: string, ratio: number): void {
    if (ratio > (this.#approaches.get(limit) ?? 0)) this.#approaches.set(limit, ratio);
  }
}
