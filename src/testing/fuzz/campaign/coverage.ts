import { DAILY_LIMIT_MICRO } from '../limits.js';
import type { AccountState } from '../model/types.js';

function share(used: bigint, limit: bigint): 'none' | 'part' | 'full' {
  return used <= 0n ? 'none' : used < limit ? 'part' : 'full';
}

const WORST = ['defaulted', 'overdue', 'active', 'pending_review', 'repaid', 'denied'] as const;

function worstLoan(loans: AccountState['loans']): string {
  if (loans.length === 0) return 'no loan';
  return WORST.find((status) => loans.some((each) => each.status === status)) ?? 'no loan';
}

/** The class of states that an agent is in: which of its sums are nothing, which limits it has come to, how its loans are. */
export function stateClass(accountState: AccountState): string {
  const { checking, savings, loans, collateralDebtBase, collateralLimitBase } = accountState;
  const sums = `${checking.USDC > 0n ? 'usdc' : '-'} ${checking.SOL > 0n ? 'sol' : '-'} ${savings.USDC > 0n ? 'saves' : '-'}`;
  const debt = share(collateralDebtBase, collateralLimitBase);
  const withdrew = share(accountState.withdrawnMicroUsd, DAILY_LIMIT_MICRO);
  const paid = share(accountState.paidMicroUsd, DAILY_LIMIT_MICRO);
  return `${sums} debt ${debt} withdrew ${withdrew} paid ${paid} ${worstLoan(loans)}`;
}

/** What stands between the parts of a key. */
const BETWEEN = ' | ';

/** Which (class of states × command × outcome) were reached, and how often. */
export class Coverage {
  /** Counts by class of states, then by command and outcome: one key of all of them is long, and each step would make it anew. */
  readonly #counts = new Map<string, Map<string, number>>();
  #size = 0;
  /** How many were new, by the number of steps played: a point for each discovery. */
  readonly #discoveries: { readonly steps: number; readonly pairs: number }[] = [];

  /**
   * Counts one: the class of the actor's state before, and `COMMAND OUTCOME`. Gives its key when it is new, else null. `steps` is how many were
   * played so far.
   */
  add(before: string, what: string, steps: number): string | null {
    if (this.#count(before, what, 1) > 0) return null;
    this.#discoveries.push({ steps, pairs: this.#size });
    return keyOf(before, what);
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

  /** How many pairs were known after so many steps, at each discovery. */
  discoveries(): readonly { readonly steps: number; readonly pairs: number }[] {
    return this.#discoveries;
  }

  /** Adds what another campaign has counted. Its discoveries are not placed in time. */
  merge(counts: readonly (readonly [string, number])[]): void {
    for (const [key, count] of counts) {
      const [before = '', ...what] = key.split(BETWEEN);
      this.#count(before, what.join(' '), count);
    }
  }

  /** Adds to a count; gives what it was before. */
  #count(before: string, what: string, times: number): number {
    let counts = this.#counts.get(before);
    if (counts === undefined) this.#counts.set(before, (counts = new Map()));
    const known = counts.get(what) ?? 0;
    if (known === 0) this.#size += 1;
    counts.set(what, known + times);
    return known;
  }
}

/** The key of what happened: class of the actor's state before, command, outcome. */
function keyOf(before: string, what: string): string {
  const [command = '', ...outcome] = what.split(' ');
  return [before, command, outcome.join(' ')].join(BETWEEN);
}
