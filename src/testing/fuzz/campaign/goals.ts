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

/** How close a state is to each limit. */
export const LIMITS: Readonly<Record<string, (accountState: AccountState) => number>> = {
  'daily withdrawals': ({ withdrawnMicroUsd, withdrawalLimitMicroUsd }) =>
    ratio(withdrawnMicroUsd, withdrawalLimitMicroUsd),
  'daily payments': ({ paidMicroUsd, paymentLimitMicroUsd }) => ratio(paidMicroUsd, paymentLimitMicroUsd),
  'collateral LTV': ({ collateralDebtBase, collateralLimitBase }) =>
    ratio(collateralDebtBase, collateralLimitBase),
};

/** Borrowing limits: interest that accrues later may push the debt beyond them without breaking a rule. */
export const OUTGROWN_BY_INTEREST: ReadonlySet<string> = new Set(['collateral LTV']);

const STATE_GOALS = Object.entries(STATES);

/** The goals that a step reaches by its outcome and its agent's state; null for a step without an agent. */
export function* goalsReached(outcome: string, accountState: AccountState | null): Generator<string> {
  const parts = outcome.split('+');
  if (outcome === 'lost') yield 'response lost';
  else for (const part of parts) if (part !== 'ok') yield `code ${part}`;
  if (parts.includes('ok') && parts.some((part) => part !== 'ok')) yield 'overlapping calls that collide';
  if (accountState === null) return;
  for (const { status } of accountState.loans) yield `loan ${status}`;
  for (const [goal, holds] of STATE_GOALS) if (holds(accountState)) yield goal;
}
