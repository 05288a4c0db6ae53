import { NATIVE_MINT } from './solana/addresses.js';
import { firstWhere } from '../core/bisect.js';
import type { Chain } from './chain.js';
import type { Account } from './engine.js';
import type { ChainRecord, TransactionRecord } from './history.js';
import type { Commitment } from './slots.js';

/** Blocks for which a node caches a transaction's status. Source: Agave's MAX_RECENT_BLOCKHASHES. */
const STATUS_BLOCKS = 300;

/** A query for transactions that reference an address, newest first. */
export interface SignatureQuery {
  readonly limit: number;
  readonly commitment: Commitment;
  /** Starts after this signature, going back in time; the page is empty when it has not reached the commitment. */
  readonly before?: string | undefined;
  /** Ends before this signature; ignored when it has not reached the commitment. */
  readonly until?: string | undefined;
}

/** Every account that a transaction references, before and after it, in the order of its keys. */
export interface NamedAccounts {
  readonly pre: readonly (Account | null)[];
  readonly post: readonly (Account | null)[];
}

/** Reads a chain at a commitment: by address, signature or slot. */
export class CommitmentReader {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** An account at a commitment; null when there was none. */
  async account(address: string, commitment: Commitment): Promise<Account | null> {
    const now = await this.#chain.getAccount(address);
    const before = this.#sinceUndone(commitment);
    return before.has(address) ? (before.get(address) ?? null) : now;
  }

  async accounts(addresses: readonly string[], commitment: Commitment): Promise<(Account | null)[]> {
    return Promise.all(addresses.map((address) => this.account(address, commitment)));
  }

  /** Every account for which `test` holds, by address: genesis, written since, and the mint of wrapped SOL. */
  async accountsWhere(
    test: (account: Account, address: string) => boolean,
    commitment: Commitment,
  ): Promise<[string, Account][]> {
    await this.#chain.verifyPredictions();
    const before = this.#sinceUndone(commitment);
    const found: [string, Account][] = [];
    const add = (address: string, now: Account | null) => {
      const account = before.has(address) ? (before.get(address) ?? null) : now;
      if (account !== null && test(account, address)) found.push([address, account]);
    };
    const touched = this.#chain.touchedAccounts();
    for (const [address, now] of touched) add(address, now);
    if (!touched.has(NATIVE_MINT)) add(NATIVE_MINT, await this.#chain.getAccount(NATIVE_MINT));
    return found;
  }

  /** A transaction that has reached a commitment; null otherwise. */
  transaction(signature: string, commitment: Commitment): TransactionRecord | null {
    const record = this.#chain.transaction(signature);
    return record === null || record.slot > this.#chain.slotAt(commitment) ? null : record;
  }

  /** Whether at most 300 blocks follow the block of a record. */
  hasStatus({ slot }: TransactionRecord): boolean {
    return this.#chain.heightAt() - this.#chain.heightIn(slot) <= STATUS_BLOCKS;
  }

  /** Transactions that reference an address. Source: get_confirmed_signatures_for_address2 of Agave's ledger. */
  transactionsOf(address: string, query: SignatureQuery): TransactionRecord[] {
    const { log, byAddress } = this.#chain.history();
    const numbers = byAddress.get(address);
    const before = this.#numberOf(query.before, query.commitment);
    const until = this.#numberOf(query.until, query.commitment) ?? -1;
    const found: TransactionRecord[] = [];
    if (query.before !== undefined && before === null) return found;
    const end = Math.min(before ?? log.size, this.#firstAt(this.#chain.slotAt(query.commitment) + 1));
    for (let at = (numbers?.size ?? 0) - 1; at >= 0 && found.length < query.limit; at -= 1) {
      const number = numbers?.get(at) as number;
      if (number <= until) break;
      if (number < end) found.push(log.get(number) as TransactionRecord);
    }
    return found;
  }

  /** The transactions of a slot, in order. */
  transactionsAt(slot: number): TransactionRecord[] {
    const { log } = this.#chain.history();
    const found: TransactionRecord[] = [];
    for (let at = this.#firstAt(slot); at < log.size; at += 1) {
      const record = log.get(at) as ChainRecord;
      if (record.slot !== slot) break;
      if (record.kind === 'transaction') found.push(record);
    }
    return found;
  }

  /** The slots after `from` and up to `to` that have transactions. */
  slotsWithTransactions(from: number, to: number): number[] {
    const { log } = this.#chain.history();
    const found = new Set<number>();
    for (let at = this.#firstAt(from + 1); at < log.size; at += 1) {
      const { slot, kind } = log.get(at) as ChainRecord;
      if (slot > to) break;
      if (kind === 'transaction') found.add(slot);
    }
    return [...found];
  }

  transactionCount(slot: number): number {
    const { writes } = this.#chain.history();
    const end = this.#firstAt(slot + 1);
    return end - firstWhere(writes.size, (at) => (writes.get(at) as number) >= end);
  }

  /** The time of a slot in seconds since 1970: from its records, or interpolated between the surrounding ones. */
  blockTime(slot: number): number {
    const { log } = this.#chain.history();
    const next = this.#firstAt(slot + 1);
    const before = log.get(Math.max(0, next - 1));
    const after = next < log.size ? log.get(next) : undefined;
    const seconds = Math.floor(this.#chain.nowMs() / 1_000);
    const from = { slot: before?.slot ?? 0, at: before?.blockTimeSeconds ?? seconds };
    const to = { slot: after?.slot ?? this.#chain.slot(), at: after?.blockTimeSeconds ?? seconds };
    if (slot <= from.slot || to.slot <= from.slot) return from.at;
    return from.at + Math.floor(((slot - from.slot) * (to.at - from.at)) / (to.slot - from.slot));
  }

  /** Every account that a transaction references: writable accounts after it, the others as they were then. */
  async accountsOf(record: TransactionRecord): Promise<NamedAccounts> {
    const touched = new Map(record.touched.map((change) => [change.address, change]));
    const index = this.#indexOf(record);
    const pre: (Account | null)[] = [];
    const post: (Account | null)[] = [];
    for (const key of record.accountKeys) {
      const change = touched.get(key);
      const unchanged = change === undefined ? await this.#accountAfter(index, key) : null;
      pre.push(change === undefined ? unchanged : change.pre);
      post.push(change === undefined ? unchanged : change.post);
    }
    return { pre, post };
  }

  /** The values of accounts before all changes that have not reached a commitment. */
  #sinceUndone(commitment: Commitment): Map<string, Account | null> {
    const before = new Map<string, Account | null>();
    const last = this.#chain.slotAt(commitment);
    if (last >= this.#chain.slot()) return before;
    const { log } = this.#chain.history();
    for (let at = log.size - 1; at >= 0; at -= 1) {
      const record = log.get(at) as ChainRecord;
      if (record.slot <= last) break;
      for (const { address, pre } of record.touched) before.set(address, pre);
    }
    return before;
  }

  async #accountAfter(index: number, address: string): Promise<Account | null> {
    const history = this.#chain.history();
    let first: { number: number; pre: Account | null } | null = null;
    for (const numbers of [history.byAddress.get(address), history.writesByAddress.get(address)]) {
      for (const number of numbers ?? []) {
        if (number <= index || (first !== null && number >= first.number)) continue;
        const change = history.log.get(number)?.touched.find((touched) => touched.address === address);
        if (change !== undefined) first = { number, pre: change.pre };
      }
    }
    return first === null ? this.#chain.getAccount(address) : first.pre;
  }

  /** The number of the record of a signature; null when it has not reached a commitment. */
  #numberOf(signature: string | undefined, commitment: Commitment): number | null {
    const record = signature === undefined ? null : this.transaction(signature, commitment);
    return record === null ? null : this.#indexOf(record);
  }

  #indexOf(record: TransactionRecord): number {
    const { log } = this.#chain.history();
    let at = this.#firstAt(record.slot);
    while (at < log.size && log.get(at) !== record) at += 1;
    return at;
  }

  #firstAt(slot: number): number {
    const { log } = this.#chain.history();
    return firstWhere(log.size, (at) => (log.get(at) as ChainRecord).slot >= slot);
  }
}
