import type { Agent } from './agent.js';
import { Books } from './books.js';
import { Calls } from './calls.js';
import * as credit from './credit.js';
import { runDue } from './due.js';
import { Expected } from './expected.js';
import { lookUpTransfers } from './in-flight.js';
import { type Loan, loanById } from './loan.js';
import { finished } from './steps.js';
import type {
  ApiCall,
  BaseAmounts,
  Expectation,
  ModelToken,
  SeenTransaction,
  ServiceModel,
  ModelConfig,
  AccountState,
  Steps,
  Trouble,
} from './types.js';
import { accountStateOf } from './account-state.js';

const CALM: Trouble = { oracleIsOut: false, chainIsOut: false, transaction: null, isKilled: false };

/**
 * An independent implementation of the service's rules, from its documents alone: docs/fidelity.md, docs/faults.md and the published
 * schemas. It shares no code with the bank, so that a mistake in either shows as a difference.
 */
export class Model implements ServiceModel {
  readonly #books: Books;
  readonly #calls: Calls;

  constructor(modelConfig: ModelConfig, from: { books: Books; calls: Calls } | null = null) {
    this.#books = from?.books ?? new Books(modelConfig);
    this.#calls = from?.calls ?? new Calls(modelConfig);
  }

  get nowMs(): number {
    return this.#books.nowMs;
  }

  copy(): Model {
    return new Model(this.#books.modelConfig, { books: this.#books.copy(), calls: this.#calls });
  }

  expect(call: ApiCall, trouble: Trouble): Expectation {
    return finished(this.#steps(call, trouble));
  }

  begin(call: ApiCall): Steps<Expectation> {
    return this.#steps(call, CALM);
  }

  *#steps(call: ApiCall, trouble: Trouble): Steps<Expectation> {
    runDue(this.#books, this.#books.nowMs);
    lookUpTransfers(this.#books);
    return new Expected(this.#books, yield* this.#calls.verdict(this.#books, call, trouble));
  }

  advance(toMs: number): void {
    runDue(this.#books, toMs);
    this.#books.nowMs = toMs;
    lookUpTransfers(this.#books);
  }

  sent(transaction: SeenTransaction): void {
    // The simulator takes it like a call.
    lookUpTransfers(this.#books);
    const { transactions, chain } = this.#books;
    chain.seen(transaction);
    transactions.set(transaction.signature, { kind: 'outside', seen: transaction });
  }

  setBalance(address: string, token: ModelToken, amountBase: bigint): boolean {
    const { agents, chain, modelConfig } = this.#books;
    const ofBank = [
      modelConfig.treasury,
      ...[...agents.keys()].map((wallet) => modelConfig.collectionOf(wallet)),
    ];
    if (ofBank.includes(address)) return false;
    chain.written(address, token, amountBase);
    return true;
  }

  setApy(token: ModelToken, apy: number): void {
    this.#books.oracle.setApy(token, apy, this.#books.nowMs);
  }

  setPrice(token: ModelToken, usd: number): void {
    this.#books.oracle.setPrice(token, usd, this.#books.nowMs);
  }

  setOutage(isOut: boolean): void {
    this.#books.oracle.setOutage(isOut);
  }

  setStale(isStale: boolean): void {
    this.#books.oracle.setStale(isStale, this.#books.nowMs);
  }

  approve(loanId: string): boolean {
    return this.#review(loanId, true);
  }

  deny(loanId: string): boolean {
    return this.#review(loanId, false);
  }

  makeOverdue(loanId: string): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'active') return false;
    credit.makeOverdue(this.#books, found.agent, found.loan, this.nowMs);
    return true;
  }

  makeDefaulted(loanId: string): boolean {
    const found = this.#loan(loanId);
    if (found === null) return false;
    const { agent, loan } = found;
    if (loan.status === 'active') credit.makeOverdue(this.#books, agent, loan, this.nowMs);
    const now = agent.loans[loan.index];
    if (now?.status !== 'overdue') return false;
    credit.makeDefaulted(this.#books, agent, now);
    return true;
  }

  setReviewPolicy(policy: string): void {
    this.#books.reviewPolicy = policy;
    this.#books.reviewSteps = 0;
  }

  cure(loanId: string, how: { forgive: boolean; dueInMs: number | null }): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'overdue' && found?.loan.status !== 'defaulted') return false;
    credit.cure(this.#books, found.agent, found.loan, how);
    return true;
  }

  linkIdentity(wallet: string, { x, github }: { x: boolean; github: boolean }): void {
    this.#books.open(wallet).links = { x, github };
  }

  accountState(wallet: string): AccountState {
    return accountStateOf(this.#books, wallet);
  }

  sentByBank(): ReadonlyMap<string, BaseAmounts> {
    return this.#books.sent;
  }

  queued(): readonly (string | null)[] {
    return this.#books.schedule.withdrawals().map((place) => this.#books.recordId(place));
  }

  holds(address: string): BaseAmounts {
    return this.#books.chain.of(address);
  }

  #review(loanId: string, isApproved: boolean): boolean {
    const found = this.#loan(loanId);
    if (found?.loan.status !== 'pending_review') return false;
    credit.decide(this.#books, found.agent, found.loan, isApproved);
    return true;
  }

  #loan(loanId: string): { agent: Agent; loan: Loan } | null {
    for (const agent of this.#books.agents.values()) {
      const loan = loanById(agent, loanId);
      if (loan !== null) return { agent, loan };
    }
    return null;
  }
}
