import { DAILY_LIMIT_MICRO } from '../limits.js';
import type { Standing } from '../model/ports.js';

function share(used: bigint, limit: bigint): 'none' | 'part' | 'full' {
  return used <= 0n ? 'none' : used < limit ? 'part' : 'full';
}

const WORST = ['defaulted', 'overdue', 'active', 'pending_review', 'repaid', 'denied'] as const;

function worstLoan(loans: Standing['loans']): string {
  if (loans.length === 0) return 'no loan';
  return WORST.find((status) => loans.some((each) => each.status === status)) ?? 'no loan';
}

/** The class of states that an agent is in: which of its sums are nothing, which limits it has come to, how its loans are. */
export function stateClass(standing: Standing): string {
  const { checking, savings, loans, collateralDebtBase, collateralLimitBase } = standing;
  const sums = `${checking.USDC > 0n ? 'usdc' : '-'} ${checking.SOL > 0n ? 'sol' : '-'} ${savings.USDC > 0n ? 'saves' : '-'}`;
  const debt = share(collateralDebtBase, collateralLimitBase);
  const withdrew = share(standing.withdrawnMicroUsd, DAILY_LIMIT_MICRO);
  const paid = share(standing.paidMicroUsd, DAILY_LIMIT_MICRO);
  return `${sums} debt ${debt} withdrew ${withdrew} paid ${paid} ${worstLoan(loans)}`;
}

/** Which (class of states × command × outcome) were reached, and how often. */
export class Coverage {
  readonly #counts = new Map<string, number>();
  /** How many were new, by the number of steps played: a point for each discovery. */
  readonly #discoveries: { readonly steps: number; readonly pairs: number }[] = [];

  /** Counts one; gives whether it was new. `steps` is how many were played so far. */
  add(key: string, steps: number): boolean {
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    if (before > 0) return false;
    this.#discoveries.push({ steps, pairs: this.#counts.size });
    return true;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Every key with its count, sorted by key. */
  counts(): readonly (readonly [string, number])[] {
    return [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** How many pairs were known after so many steps, at each discovery. */
  discoveries(): readonly { readonly steps: number; readonly pairs: number }[] {
    return this.#discoveries;
  }

  /** Adds what another campaign has counted. Its discoveries are not placed in time. */
  merge(counts: readonly (readonly [string, number])[]): void {
    for (const [key, count] of counts) this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }
}

/** The key of what happened: class of the actor's state before, command, outcome. */
export function coverageKey(before: string, command: string, outcome: string): string {
  return `${before} | ${command} | ${outcome}`;
}
