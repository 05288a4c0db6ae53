import type { Entry, EntryDraft } from '../core/domain/entry.js';
import { lateFee, loanDefault, loanDue, setOff } from '../core/domain/operations/age-loan.js';
import { liquidate, nextAssessmentMs } from '../core/domain/operations/liquidate.js';
import type { RequestContext } from '../core/domain/request-context.js';
import type { Agent } from '../core/domain/state.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';

/** The instant at which a loan falls due or defaults, and the instant of its booking, which an operator can force. */
interface Fall {
  readonly loanId: string;
  readonly dueAtMs: number;
  readonly atMs: number;
}

/** The consequences of unpaid debts: loans become overdue and default, and collateral loans are liquidated. */
export class Consequences {
  readonly #books: Books;
  readonly #world: BankWorld;

  constructor(books: Books, world: BankWorld) {
    this.#books = books;
    this.#world = world;
  }

  /** Makes a loan overdue that is unpaid at its due date, and charges the late fee. Returns the entries. */
  fallDue({ loanId, dueAtMs, atMs }: Fall, cause: RequestContext): Entry[] {
    const due = this.#append(loanDue(this.#books.state, loanId, dueAtMs), atMs, cause);
    if (due.length === 0) return [];
    const fee = lateFee(this.#books.state, loanId, { atMs, terms: this.#world.constants.terms });
    return [...due, ...this.#append(fee, atMs, cause)];
  }

  /** Makes an overdue loan default, and sets off checking. Returns the entries. */
  fallDefault({ loanId, dueAtMs, atMs }: Fall, cause: RequestContext): Entry[] {
    const defaulted = this.#append(loanDefault(this.#books.state, loanId, dueAtMs), atMs, cause);
    if (defaulted.length === 0) return [];
    const taken = setOff(this.#books.state, loanId, { atMs, terms: this.#world.constants.terms });
    return [...defaulted, ...this.#append(taken, atMs, cause)];
  }

  /** The next instant at which `liquidate` must be called; infinite for never. */
  nextAssessmentMs(afterMs: number): number {
    return nextAssessmentMs(afterMs, this.#world.constants.terms);
  }

  /** Liquidates the collateral loans above the liquidation limit, in the order of the wallets. Returns the entries. */
  liquidate(atMs: number, cause: RequestContext): Entry[] {
    const env = this.#world.env(cause, atMs);
    const { agents, totals } = this.#books.state;
    if (totals.collateral_loan.USDC === 0n) return [];
    const drafts = agents
      .valueSeq()
      .map((agent: Agent) => liquidate(agent, env))
      .filter((draft) => draft !== null)
      .toArray()
      .toSorted((a, b) => ((a.wallet ?? '') < (b.wallet ?? '') ? -1 : 1));
    return drafts.flatMap((draft) => this.#append(draft, atMs, cause));
  }

  #append(draft: EntryDraft | null, atMs: number, cause: RequestContext): Entry[] {
    return draft === null ? [] : [this.#books.append(draft, atMs, cause)];
  }
}
