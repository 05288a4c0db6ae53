import type { Activity, ChainBackend, ChainReads, Lookup, WantedReads } from './backend.js';
import type { Chain } from './chain.js';
import type { RequestContext } from '../core/domain/request-context.js';
import type { Account } from './engine.js';
import type { TransactionFaultInjector } from './transaction-faults.js';
import type { TransactionRecord } from './history.js';
import type { Submission, SubmitOptions } from './submission.js';
import type { WireTransaction } from './solana/wire.js';

/** The embedded chain as a backend of the bank: reads are synchronous and changes are pushed. */
export class EmbeddedBackend implements ChainBackend, ChainReads {
  readonly reads = this;
  readonly #chain: Chain;
  readonly #faults: TransactionFaultInjector;
  readonly #pause: (() => Promise<void> | void) | null;

  /** `pause` runs before and after each transfer of the bank is submitted. */
  constructor(
    chain: Chain,
    faults: TransactionFaultInjector,
    pause: (() => Promise<void> | void) | null = null,
  ) {
    this.#chain = chain;
    this.#faults = faults;
    this.#pause = pause;
  }

  reading<T>(_wanted: WantedReads, operation: (reads: ChainReads) => T): T {
    return operation(this);
  }

  blockhash(): string {
    return this.#chain.cachedBlockhash();
  }

  async submitOwn(wire: WireTransaction, own: SubmitOptions): Promise<Submission> {
    if (this.#pause === null) return this.#faults.submitOwn(wire, own);
    await this.#pause();
    const submission = await this.#faults.submitOwn(wire, own);
    await this.#pause();
    return submission;
  }

  async outcomeOf(signature: string): Promise<Submission | null> {
    return this.#faults.outcomeOf(signature);
  }

  executedUnconfirmed(signature: string): TransactionRecord | null {
    return this.#chain.transaction(signature);
  }

  lookUp(signature: string, _address: string, { trouble }: RequestContext): Lookup {
    for (const part of ['submit', 'confirm'] as const) {
      if (trouble?.[part]?.kind !== 'unavailable') continue;
      trouble.onFired(part);
      return { kind: 'unreachable', reason: 'a fault makes the chain unreachable' };
    }
    const record = this.#chain.transaction(signature);
    if (record === null) return { kind: 'unknown' };
    if (trouble?.confirm?.kind === 'delay' && this.#faults.holdLookedUp(signature, trouble.confirm.ms))
      trouble.onFired('confirm');
    const isConfirmed = this.#chain.isConfirmed(record) && !this.#faults.isHeld(signature);
    return { kind: 'known', record, isConfirmed };
  }

  activityOf(address: string): Activity {
    const first = this.#chain.firstTransaction(address);
    return {
      transactions: this.#chain.transactionCount(address),
      firstSeconds: first === null ? null : first.blockTimeSeconds,
    };
  }

  account(address: string): Account | null {
    return this.#chain.knownAccount(address);
  }

  getAccounts(addresses: readonly string[]): Promise<(Account | null)[]> {
    return Promise.all(addresses.map((address) => this.#chain.getAccount(address)));
  }

  watch(): null {
    return null;
  }

  /** Never: an address's initial holdings exclude the bank's own unbooked transactions. */
  isInOpening(): boolean {
    return false;
  }

  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#chain.onForeignTransaction(observer);
  }

  async catchUp(): Promise<boolean> {
    await this.#chain.verifyPredictions();
    return false;
  }
}
