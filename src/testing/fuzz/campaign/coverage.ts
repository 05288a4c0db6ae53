import type { AccountState } from '../model/types.js';

function share(used: bigint, limit: bigint): 'none' | 'part' | 'full' {
  return used <= 0n ? 'none' : used < limit ? 'part' : 'full';
}

const WORST = ['defaulted', 'overdue', 'active', 'pending_review', 'repaid', 'denied'] as const;

function worstLoan(loans: AccountState['loans']): string {
  if (loans.length === 0) return 'no loan';
  return WORST.find((status) => loans.some((each) => each.status === status)) ?? 'no loan';
}

/** Classifies an agent's state: which balances are zero, which limits are reached, the status of its loans. */
export function stateClass(accountState: AccountState): string {
  const { checking, savings, loans, collateralDebtBase, collateralLimitBase } = accountState;
  const sums = `${checking.USDC > 0n ? 'usdc' : '-'} ${checking.SOL > 0n ? 'sol' : '-'} ${savings.USDC > 0n ? 'saves' : '-'}`;
  const debt = share(collateralDebtBase, collateralLimitBase);
  const withdrew = share(accountState.withdrawnMicroUsd, accountState.withdrawalLimitMicroUsd);
  const paid = share(accountState.paidMicroUsd, accountState.paymentLimitMicroUsd);
  return `${sums} debt ${debt} withdrew ${withdrew} paid ${paid} ${worstLoan(loans)}`;
}

const BETWEEN = ' | ';

/** The key of a pair: an agent's state, the command that was played in it, and its outcome. */
export function pairKey(before: AccountState | null, command: string, outcome: string): string {
  return [before === null ? 'nobody' : stateClass(before), command, outcome].join(BETWEEN);
}

/** The key of a pair, how often it was reached, and the number of steps up to its first occurrence. */
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
