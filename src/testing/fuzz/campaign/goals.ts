import { ERRORS } from '../../../core/domain/errors.js';
import type { FuzzLimits } from '../limits.js';
import type { AccountState } from '../model/types.js';

/** Codes that well-formed calls to a healthy world cannot produce, with reasons. */
const NOT_MET: Readonly<Record<string, string>> = {
  invalid_json: 'steps contain JSON',
  not_found: 'steps name operations',
  transaction_not_confirmed: 'the worlds confirm immediately',
  transaction_too_old: 'the books begin with the chain',
  storage_unavailable: 'the worlds are kept in memory',
  internal_error: 'a bug, which is a counterexample',
};

const STATES: Readonly<Record<string, (accountState: AccountState) => boolean>> = {
  'daily withdrawal limit exactly full': ({ withdrawnMicroUsd, withdrawalLimitMicroUsd }) =>
    withdrawnMicroUsd > 0n && withdrawnMicroUsd === withdrawalLimitMicroUsd,
  'daily payment limit exactly full': ({ paidMicroUsd, paymentLimitMicroUsd }) =>
    paidMicroUsd > 0n && paidMicroUsd === paymentLimitMicroUsd,
  'LTV exactly full': ({ collateralDebtBase, collateralLimitBase }) =>
    collateralDebtBase > 0n && collateralDebtBase === collateralLimitBase,
  'interest over the LTV': ({ collateralDebtBase, collateralLimitBase }) =>
    collateralLimitBase > 0n && collateralDebtBase > collateralLimitBase,
  'checking emptied': ({ checking, savings }) => checking.USDC === 0n && savings.USDC > 0n,
  'savings all locked': ({ savings, unlockedSavingsBase }) => savings.USDC > 0n && unlockedSavingsBase === 0n,
  'yield earned': ({ earned }) => earned.USDC > 0n,
};

/** Codes that a campaign reaches under low limits only, with the limits. */
const OF_LIMITS: Readonly<Record<string, 'idempotencyKeys' | 'loanApplications'>> = {
  'code idempotency_keys_full': 'idempotencyKeys',
  'code loan_applications_full': 'loanApplications',
};
/** Few sequences, or none, contain more keys or applications than this. */
const LOW = 5;

/** States at the edges of limits, which several properties target. */
export const EDGE_GOALS = Object.keys(STATES);

export const LOAN_GOALS = ['pending_review', 'denied', 'active', 'overdue', 'repaid', 'defaulted'].map(
  (status) => `loan ${status}`,
);

/** All goals in order: states and outcomes that a campaign should reach at some time, some of them only under low limits. */
export const ALL_GOALS: readonly string[] = [
  ...Object.keys(ERRORS)
    .filter((code) => !(code in NOT_MET))
    .map((code) => `code ${code}`),
  ...LOAN_GOALS,
  ...EDGE_GOALS,
  'overlapping calls that collide',
  'response lost',
];

/** The goals among these that a campaign can reach under its limits. */
export function reachable(
  goals: readonly string[],
  { limits, variesLimits }: { limits?: Partial<FuzzLimits> | undefined; variesLimits?: true | undefined },
): readonly string[] {
  return goals.filter((goal) => {
    const limit = OF_LIMITS[goal];
    if (limit === undefined) return true;
    const value = limits?.[limit];
    return value === undefined ? variesLimits === true : value <= LOW;
  });
}

/** The goals of a campaign under the default limits. */
export const GOALS = reachable(ALL_GOALS, {});

/** How close a campaign came to each limit: 1 is exactly full. */
export interface Approaches {
  readonly [limit: string]: number;
}

function ratio(part: bigint, whole: bigint): number {
  return whole <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000;
}

const LIMITS: Readonly<Record<string, (accountState: AccountState) => number>> = {
  'daily withdrawals': ({ withdrawnMicroUsd, withdrawalLimitMicroUsd }) =>
    ratio(withdrawnMicroUsd, withdrawalLimitMicroUsd),
  'daily payments': ({ paidMicroUsd, paymentLimitMicroUsd }) => ratio(paidMicroUsd, paymentLimitMicroUsd),
  'collateral LTV': ({ collateralDebtBase, collateralLimitBase }) =>
    ratio(collateralDebtBase, collateralLimitBase),
};

/** Borrowing limits: interest that accrues later may push the debt beyond them without breaking a rule. */
export const OUTGROWN_BY_INTEREST: ReadonlySet<string> = new Set(['collateral LTV']);

const STATE_GOALS = Object.entries(STATES);
const LIMIT_RATIOS = Object.entries(LIMITS);

/** Counts how often goals were reached, and records how close limits came. */
export class Goals {
  readonly #counts: Map<string, number>;
  readonly #approaches = new Map<string, number>(Object.keys(LIMITS).map((limit) => [limit, 0]));

  /** `wanted`: the goals to count. */
  constructor(wanted: readonly string[] = ALL_GOALS) {
    this.#counts = new Map(wanted.map((goal) => [goal, 0]));
  }

  /** Records a step by its outcome and its agent's state; null for a step without an agent. */
  note(outcome: string, accountState: AccountState | null): void {
    if (outcome === 'lost') this.reach('response lost');
    else if (outcome.includes('+')) this.#overlapped(outcome);
    else if (outcome !== 'ok') this.reach(`code ${outcome}`);
    if (accountState === null) return;
    for (const { status } of accountState.loans) this.reach(`loan ${status}`);
    for (const [goal, holds] of STATE_GOALS) if (holds(accountState)) this.reach(goal);
    for (const [limit, closeness] of LIMIT_RATIOS) {
      const close = closeness(accountState);
      if (close > (this.#approaches.get(limit) ?? 0)) this.#approaches.set(limit, close);
    }
  }

  #overlapped(outcome: string): void {
    const parts = outcome.split('+');
    for (const part of parts) if (part !== 'ok') this.reach(`code ${part}`);
    if (parts.includes('ok') && parts.some((part) => part !== 'ok'))
      this.reach('overlapping calls that collide');
  }

  /** Counts a goal; others than the wanted ones are ignored. */
  reach(goal: string, times = 1): void {
    const before = this.#counts.get(goal);
    if (before !== undefined) this.#counts.set(goal, before + times);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  approaches(): Approaches {
    return Object.fromEntries(this.#approaches);
  }

  merge(counts: Readonly<Record<string, number>>, approaches: Approaches): void {
    for (const [goal, times] of Object.entries(counts)) this.reach(goal, times);
    for (const [limit, closeness] of Object.entries(approaches))
      this.#approaches.set(limit, Math.max(this.#approaches.get(limit) ?? 0, closeness));
  }
}
