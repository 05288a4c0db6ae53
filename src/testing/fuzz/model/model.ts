import { Books } from './books.js';
import { verdictOn } from './calls.js';
import { advance, runDue } from './due.js';
import { expectedAnswer } from './verdict.js';
import { lookUpTransfers, finished, dueBase } from './treasury.js';
import { operate } from './operator.js';
import type {
  ApiCall,
  BaseAmounts,
  ControlCall,
  Expectation,
  ModelToken,
  SeenTransaction,
  ServiceModel,
  ModelConfig,
  AccountState,
  Steps,
  Trouble,
} from './types.js';
import { accountStateOf } from './account.js';

const CALM: Trouble = { oracleIsOut: false, chainIsOut: false, transaction: null, isKilled: false };

/**
 * An independent implementation of the service's rules, from its documents alone: docs/reference/fidelity.md, docs/reference/faults.md and
 * the published schemas. Apart from the derivation of addresses, it shares no code with the bank, so that an error in either shows
 * as a difference.
 */
export class Model implements ServiceModel {
  readonly #books: Books;

  constructor(modelConfig: ModelConfig, books = new Books(modelConfig)) {
    this.#books = books;
  }

  get nowMs(): number {
    return this.#books.nowMs;
  }

  copy(): Model {
    return new (this.constructor as typeof Model)(this.#books.modelConfig, this.#books.copy());
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
    const verdict = yield* verdictOn(this.#books, call, trouble);
    return expectedAnswer(this.#books, this.#books.modelConfig, verdict);
  }

  advance(toMs: number): Expectation {
    return advance(this.#books, toMs);
  }

  sent(transaction: SeenTransaction): void {
    // The simulator treats it like a call.
    lookUpTransfers(this.#books);
    this.#books.chain.seen(transaction);
    this.#books.transactions = this.#books.transactions.set(transaction.signature, transaction);
  }

  operate(call: ControlCall): Expectation {
    return operate(this.#books, call);
  }

  price(token: ModelToken): number {
    return Number(this.#books.priceE8(token)) / 1e8;
  }

  accountState(wallet: string): AccountState {
    return accountStateOf(this.#books, wallet);
  }

  toCallBack(token: ModelToken): bigint {
    const due = dueBase(this.#books, token);
    return due < 0n ? -due : 0n;
  }

  sentByBank(): ReadonlyMap<string, BaseAmounts> {
    return this.#books.sent;
  }

  queued(): readonly (string | null)[] {
    return this.#books.schedule.withdrawals().map((at) => this.#books.record(at).id);
  }

  holds(address: string): BaseAmounts {
    return this.#books.chain.of(address);
  }
}
