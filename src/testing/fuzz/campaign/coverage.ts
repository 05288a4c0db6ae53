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

/** Separates the parts of a key. */
const BETWEEN = ' | ';

/** A triple, how often it was reached, and first after how many steps. */
export type CoverageRow = readonly [key: string, count: number, steps: number];

/** What a campaign has covered, as plain JSON. */
export interface Covered {
  /** (State class, command, outcome) and how often it was reached, sorted. */
  readonly coverage: readonly (readonly [string, number])[];
  /** Each triple in the order of discovery, the number of steps until then, and how many were known with it. */
  readonly discoveries: readonly { readonly key: string; readonly steps: number; readonly pairs: number }[];
}

/** A triple, how often it was reached, and first after how many steps. */
interface Cell {
  readonly key: string;
  count: number;
  readonly steps: number;
}

/** Counts which (state class × command × outcome) triples were reached. */
export class Coverage {
  /** By state class, then by command and outcome: joining all into one key at every step would be slow. */
  readonly #cells = new Map<string, Map<string, Cell>>();
  /** In the order of discovery. */
  readonly #all: Cell[] = [];
  readonly #byKey = new Map<string, Cell>();

  /**
   * Counts one triple: the actor's state class before the step, and `COMMAND OUTCOME`. Returns its key if it is new, else null. `steps` is the
   * number of steps played so far.
   */
  add(before: string, what: string, steps: number, times = 1): string | null {
    const known = this.#cells.get(before)?.get(what);
    if (known === undefined)
      return this.#begin(before, what, { key: keyOf(before, what), count: times, steps });
    known.count += times;
    return null;
  }

  #begin(before: string, what: string, cell: Cell): string {
    let cells = this.#cells.get(before);
    if (cells === undefined) this.#cells.set(before, (cells = new Map()));
    cells.set(what, cell);
    this.#all.push(cell);
    this.#byKey.set(cell.key, cell);
    return cell.key;
  }

  get size(): number {
    return this.#all.length;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Every key with its count, sorted by key. */
  counts(): readonly (readonly [string, number])[] {
    return this.#all
      .map(({ key, count }): [string, number] => [key, count])
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Every key in the order of discovery, with its count and the steps until then. */
  rows(): readonly CoverageRow[] {
    return this.#all.map(({ key, count, steps }) => [key, count, steps]);
  }

  discoveries(): Covered['discoveries'] {
    return this.#all.map(({ key, steps }, at) => ({ key, steps, pairs: at + 1 }));
  }

  /** How often each `COMMAND OUTCOME` was reached, sorted. */
  outcomes(): Record<string, number> {
    const sums = new Map<string, number>();
    for (const cells of this.#cells.values())
      for (const [what, { count }] of cells) sums.set(what, (sums.get(what) ?? 0) + count);
    return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds rows of a campaign that was played after so many steps of this one. */
  append(rows: readonly CoverageRow[], stepsBefore: number): void {
    for (const [key, count, steps] of rows) {
      const known = this.#byKey.get(key);
      if (known !== undefined) {
        known.count += count;
        continue;
      }
      const [before = '', command = '', ...outcome] = key.split(BETWEEN);
      this.#begin(before, `${command} ${outcome.join(BETWEEN)}`, { key, count, steps: stepsBefore + steps });
    }
  }
}

/** What was covered, as rows. */
export function rowsOf({ coverage, discoveries }: Covered): readonly CoverageRow[] {
  const counts = new Map(coverage);
  return discoveries.map(({ key, steps }) => [key, counts.get(key) ?? 0, steps]);
}

/** Key of a triple: the actor's state class before the step, command, outcome. */
function keyOf(before: string, what: string): string {
  const [command = '', ...outcome] = what.split(' ');
  return [before, command, outcome.join(' ')].join(BETWEEN);
}
