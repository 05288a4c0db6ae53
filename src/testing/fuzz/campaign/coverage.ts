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

/** A triple, how often it was reached, and the number of steps before its first occurrence. */
export type CoverageRow = readonly [key: string, count: number, steps: number];

export interface Covered {
  /** (State class, command, outcome) and how often it was reached, sorted. */
  readonly coverage: readonly (readonly [string, number])[];
  /** Each triple in order of discovery, with the number of steps before it and the number of triples known by then. */
  readonly discoveries: readonly { readonly key: string; readonly steps: number; readonly pairs: number }[];
}

/** Counts which (state class × command × outcome) triples were reached. */
export class Coverage {
  readonly #cells = new Map<string, { count: number; readonly steps: number }>();

  /**
   * Counts a step by its actor's state class before it, its command and its outcome. Returns the key if it is new, or else null. `steps`:
   * number of steps so far.
   */
  add(triple: readonly [before: string, command: string, outcome: string], steps: number): string | null {
    const key = triple.join(BETWEEN);
    const isNew = !this.has(key);
    this.append([[key, 1, steps]], 0);
    return isNew ? key : null;
  }

  get size(): number {
    return this.#cells.size;
  }

  has(key: string): boolean {
    return this.#cells.has(key);
  }

  counts(): readonly (readonly [string, number])[] {
    return this.rows()
      .map(([key, count]): [string, number] => [key, count])
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Every key in order of discovery, with its count and the number of steps before it. */
  rows(): readonly CoverageRow[] {
    return [...this.#cells].map(([key, { count, steps }]) => [key, count, steps]);
  }

  discoveries(): Covered['discoveries'] {
    return this.rows().map(([key, , steps], at) => ({ key, steps, pairs: at + 1 }));
  }

  /** How often each `COMMAND OUTCOME` was reached, sorted. */
  outcomes(): Record<string, number> {
    const sums = new Map<string, number>();
    for (const [key, { count }] of this.#cells) {
      const [, command = '', ...outcome] = key.split(BETWEEN);
      const what = `${command} ${outcome.join(BETWEEN)}`;
      sums.set(what, (sums.get(what) ?? 0) + count);
    }
    return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds rows of a campaign that was played after this number of steps. */
  append(rows: readonly CoverageRow[], stepsBefore: number): void {
    for (const [key, count, steps] of rows) {
      const known = this.#cells.get(key);
      if (known === undefined) this.#cells.set(key, { count, steps: stepsBefore + steps });
      else known.count += count;
    }
  }
}

export function rowsOf({ coverage, discoveries }: Covered): readonly CoverageRow[] {
  const counts = new Map(coverage);
  return discoveries.map(({ key, steps }) => [key, counts.get(key) ?? 0, steps]);
}
