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

/** What a campaign has covered, as plain JSON. */
export interface Covered {
  /** (State class, command, outcome) and how often it was reached. */
  readonly coverage: readonly (readonly [string, number])[];
  /** Known triples by number of steps. */
  readonly discoveries: readonly { readonly steps: number; readonly pairs: number }[];
}

/** Counts which (state class × command × outcome) triples were reached. */
export class Coverage {
  /** Counts by state class, then by command and outcome: joining all into one key at every step would be slow. */
  readonly #counts = new Map<string, Map<string, number>>();
  #size = 0;
  /** Keys that were reached before. */
  readonly #before = new Set<string>();
  /** Number of new triples by steps played: one point per discovery. */
  readonly #discoveries: { readonly steps: number; readonly pairs: number }[] = [];

  /**
   * Counts one triple: the actor's state class before the step, and `COMMAND OUTCOME`. Returns its key if it is new, to the corpus too, else null. `steps`
   * is the number of steps played so far.
   */
  add(before: string, what: string, steps: number): string | null {
    if (this.#count(before, what, 1) > 0) return null;
    this.#discoveries.push({ steps, pairs: this.#size });
    const key = keyOf(before, what);
    return this.#before.has(key) ? null : key;
  }

  /** Declares keys as reached before, by the sequences of a corpus: reaching them again is nothing new. */
  seed(keys: readonly string[]): void {
    for (const key of keys) this.#before.add(key);
  }

  get size(): number {
    return this.#size;
  }

  /** Every key with its count, sorted by key. */
  counts(): readonly (readonly [string, number])[] {
    const all: [string, number][] = [];
    for (const [before, counts] of this.#counts)
      for (const [what, count] of counts) all.push([keyOf(before, what), count]);
    return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The total of known triples by steps played, at each discovery. */
  discoveries(): readonly { readonly steps: number; readonly pairs: number }[] {
    return this.#discoveries;
  }

  /** Goes on where another campaign ended. */
  resume({ coverage, discoveries }: Covered): void {
    this.merge(coverage);
    this.#discoveries.push(...discoveries);
  }

  /** Adds the counts of another campaign. Its discoveries get no place on the time axis. */
  merge(counts: readonly (readonly [string, number])[]): void {
    for (const [key, count] of counts) {
      const [before = '', ...what] = key.split(BETWEEN);
      this.#count(before, what.join(' '), count);
    }
  }

  /** Adds to a count; returns the previous value. */
  #count(before: string, what: string, times: number): number {
    let counts = this.#counts.get(before);
    if (counts === undefined) this.#counts.set(before, (counts = new Map()));
    const known = counts.get(what) ?? 0;
    if (known === 0) this.#size += 1;
    counts.set(what, known + times);
    return known;
  }
}

/** Key of a triple: the actor's state class before the step, command, outcome. */
function keyOf(before: string, what: string): string {
  const [command = '', ...outcome] = what.split(' ');
  return [before, command, outcome.join(' ')].join(BETWEEN);
}
