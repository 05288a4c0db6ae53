import { type Entry, type OutflowKind } from '../../../core/domain/entry.js';
import { historyLine } from '../../../core/domain/history.js';
import { type Token, tokenUnits } from '../../../core/domain/money.js';
import type { LoanStatus, State } from '../../../core/domain/state.js';
import type { ActionOutcome } from './actions.js';
import type { StudyAgent } from './agent.js';

/** The daily limit on each call that has one, whichever action makes it. */
const LIMITED: Readonly<Record<string, OutflowKind>> = { withdraw: 'withdraw', 'x402.pay': 'x402' };

type Counts = Record<string, number>;

export function count(counts: Counts, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

/** Running totals of a run, so that a measurement reads only the entries since the previous measurement. */
export class Tally {
  /** Since the last measurement. */
  ticks = 0;
  refusals: Counts = {};
  actions: Counts = {};
  limitHits: Counts = {};
  paid: Record<Token, bigint> = { USDC: 0n, SOL: 0n };
  /** Wallets that paid out since the last measurement. */
  readonly paidOut: Readonly<Record<OutflowKind, Set<string>>> = { withdraw: new Set(), x402: new Set() };
  /** Since the run began. */
  readonly yieldPaid: Record<Token, bigint> = { USDC: 0n, SOL: 0n };
  readonly approvals: Counts = {};
  readonly defaults: Counts = {};
  readonly consequences: Counts = {};
  readonly loans: Counts = {};
  /** Wallets with debt against their savings. */
  readonly borrowers = new Set<string>();
  /** The probability band of each credit line at application. */
  readonly #bands = new Map<string, string>();
  readonly #statuses = new Map<string, LoanStatus>();
  /** Calls under a daily limit, and those that it refused, by `withdraw|x402/persona`. */
  readonly limits: Record<string, { readonly calls: number; readonly refused: number }> = {};
  totalActions = 0;
  totalRefused = 0;
  totalOnChain = 0;

  acted(
    { persona }: Pick<StudyAgent, 'persona'>,
    { action, call }: { readonly action: string; readonly call: string },
    { code, isOnChain }: ActionOutcome,
  ): void {
    count(this.actions, action);
    this.totalActions += 1;
    if (isOnChain) this.totalOnChain += 1;
    const limit = LIMITED[call];
    const isRefused = code === 'daily_limit_exceeded';
    if (limit !== undefined) {
      const key = `${limit}/${persona}`;
      const { calls, refused } = this.limits[key] ?? { calls: 0, refused: 0 };
      this.limits[key] = { calls: calls + 1, refused: refused + Number(isRefused) };
      if (isRefused) count(this.limitHits, key);
    }
    if (code === null) return;
    this.totalRefused += 1;
    count(this.refusals, code);
  }

  /** Counts an entry of the journal. `bandOf` returns the current band of its wallet. */
  entry(entry: Entry, state: State, bandOf: (wallet: string) => string): void {
    const { wallet, facts } = entry;
    switch (facts.kind) {
      case 'outflow.pending':
        this.paidOut[facts.terms.type].add(wallet ?? '');
        break;
      case 'outflow.posted': {
        const terms = state.outflows.get(facts.outflow)?.terms;
        if (terms?.type === 'x402') this.paid[terms.token] += terms.amountBase;
        break;
      }
      case 'savings.withdraw':
        this.yieldPaid[facts.token] += facts.yieldBase;
        break;
      case 'collateral.borrow':
        this.borrowers.add(wallet ?? '');
        break;
      case 'collateral.liquidated':
        this.yieldPaid.USDC += facts.yieldBase;
        this.#consequence(entry);
        break;
      case 'loan.charged':
      case 'loan.set_off':
        this.#consequence(entry);
        break;
      case 'loan.applied':
        this.#bands.set(facts.loanId, bandOf(wallet ?? ''));
        break;
      case 'loan.approved':
        count(this.approvals, this.#bands.get(facts.loanId) ?? '');
        break;
      case 'loan.defaulted':
        count(this.defaults, this.#bands.get(facts.loanId) ?? '');
        break;
      default:
    }
    if ('loanId' in facts) this.#loan(facts.loanId, state);
  }

  measured(): void {
    this.ticks = 0;
    [this.refusals, this.actions, this.limitHits] = [{}, {}, {}];
    this.paid = { USDC: 0n, SOL: 0n };
    for (const wallets of Object.values(this.paidOut)) wallets.clear();
  }

  #consequence(entry: Entry): void {
    const line = historyLine(entry);
    if (line === null) return;
    count(this.consequences, line.type);
    count(this.consequences, `${line.type}/${line.token}`, tokenUnits(line.token, line.amountBase));
  }

  #loan(id: string, state: State): void {
    const before = this.#statuses.get(id);
    const now = state.loans.get(id)?.status;
    if (before !== undefined) count(this.loans, before, -1);
    if (now === undefined) return;
    count(this.loans, now);
    // Several entries can have led to this status; the others follow.
    this.#statuses.set(id, now);
  }
}
