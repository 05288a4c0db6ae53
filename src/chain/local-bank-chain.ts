import type { Activity, BankChain, Lookup } from './bank-chain.js';
import type { Chain } from './chain.js';
import type { Account } from './engine.js';
import type { TransactionRecord } from './history.js';
import type { OwnTransaction, Submission } from './submission.js';
import type { WireTransaction } from './wire.js';

/** An embedded chain as the bank uses it: it knows everything at once and tells of everything by itself. */
export class LocalBankChain implements BankChain {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  keptBlockhash(): string {
    return this.#chain.keptBlockhash();
  }

  submitOwn(wire: WireTransaction, own: OwnTransaction): Promise<Submission> {
    return this.#chain.submitOwn(wire, own);
  }

  async outcomeOf(signature: string): Promise<Submission | null> {
    const record = this.#chain.transaction(signature);
    return record === null ? null : { kind: 'processed', record };
  }

  lookUp(signature: string): Lookup {
    const record = this.#chain.transaction(signature);
    if (record === null) return { kind: 'unknown' };
    return { kind: 'known', record, isConfirmed: this.#chain.isConfirmed(record) };
  }

  async activityOf(address: string): Promise<Activity> {
    const first = this.#chain.firstTransaction(address);
    return {
      transactions: this.#chain.transactionCount(address),
      firstSeconds: first === null ? null : first.blockTimeSeconds,
    };
  }

  knownAccount(address: string): Account | null {
    return this.#chain.knownAccount(address);
  }

  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return Promise.all(addresses.map((address) => this.#chain.getAccount(address)));
  }

  watch(): null {
    return null;
  }

  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#chain.onForeignTransaction(observer);
  }

  async catchUp(): Promise<boolean> {
    await this.#chain.prove();
    return false;
  }
}
