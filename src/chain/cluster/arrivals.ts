import type { PerToken } from '../../core/domain/money.js';
import { ChainUnreachable } from '../backend.js';
import type { TransactionRecord } from '../history.js';
import { associatedTokenAddress, tokenAmount } from '../solana/token-accounts.js';
import type { ListedSignature } from './answers.js';
import type { ClusterReader } from './reader.js';

/** How often the opening balance is read again when the address changes during the read. */
const OPENING_TRIES = 10;

/** The start of the books of a wallet: earlier transactions are part of its opening balance. */
interface Opening {
  readonly slot: number;
  /** Signatures in that slot that had run by then. */
  readonly listed: ReadonlySet<string>;
  /** The newest processed signature, by watched address. */
  readonly cursors: Map<string, string | undefined>;
}

/**
 * Finds external transactions at the bank's addresses on a cluster and reports each once. Transactions named by a
 * caller are reported at once; the rest are found by listing signatures when the bank polls.
 */
export class Arrivals {
  readonly #reader: ClusterReader;
  readonly #mint: string;
  readonly #openings = new Map<string, Opening>();
  /** The wallet whose lamports or USDC an address holds. */
  readonly #walletOf = new Map<string, string>();
  readonly #seen = new Set<string>();
  #observer: (record: TransactionRecord) => void = () => undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(reader: ClusterReader, mint: string) {
    this.#reader = reader;
    this.#mint = mint;
  }

  onForeignTransaction(observer: (record: TransactionRecord) => void): void {
    this.#observer = observer;
  }

  /** Marks a transaction as the bank's own, so that it is never reported. */
  own(signature: string): void {
    this.#seen.add(signature);
  }

  isWatched(wallet: string): boolean {
    return this.#openings.has(wallet);
  }

  /** Begins to watch a wallet and its USDC; resolves to their holdings at that instant. */
  watch(wallet: string): Promise<PerToken<bigint>> {
    return this.#enqueue(() => this.#open(wallet));
  }

  /** Whether a transaction ran before the books of a wallet began. */
  isOlder({ signature, slot }: { signature: string; slot: number }, wallet: string): boolean {
    const opening = this.#openings.get(wallet);
    if (opening === undefined) return true;
    return slot < opening.slot || (slot === opening.slot && opening.listed.has(signature));
  }

  /** Reports a transaction that a caller has named, unless it is the bank's own or was reported before. */
  claim(record: TransactionRecord): Promise<void> {
    return this.#enqueue(async () => this.#report(record));
  }

  /** Lists new transactions at all watched addresses and reports them, oldest first. Resolves to whether there were any. */
  poll(): Promise<boolean> {
    return this.#enqueue(() => this.#poll());
  }

  // Serialized, so that no transaction is missed between the opening of one wallet's books and a list read before it.
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #open(wallet: string): Promise<PerToken<bigint>> {
    const addresses = [wallet, associatedTokenAddress(wallet, this.#mint)];
    const newest = (minContextSlot?: number) =>
      Promise.all(
        addresses.map((address) => this.#reader.signatures(address, { limit: 100, minContextSlot })),
      );
    const names = (lists: ListedSignature[][]) => lists.map((list) => list[0]?.signature).join();
    let before = await newest();
    for (let tries = 0; tries < OPENING_TRIES; tries += 1) {
      const { slot, accounts } = await this.#reader.accountsAt(addresses);
      // Behind one URL may be several nodes: one that is behind does not list what the accounts already include.
      const after = await newest(slot);
      if (names(before) !== names(after)) {
        before = after;
        continue;
      }
      const listed = after.flat().filter((one) => one.slot === slot);
      const cursors = addresses.map((address, at): [string, string | undefined] => [
        address,
        after[at]?.find((one) => one.slot <= slot)?.signature,
      ]);
      this.#openings.set(wallet, {
        slot,
        listed: new Set(listed.map(({ signature }) => signature)),
        cursors: new Map(cursors),
      });
      for (const address of addresses) this.#walletOf.set(address, wallet);
      return { USDC: tokenAmount(accounts[1] ?? null), SOL: accounts[0]?.lamports ?? 0n };
    }
    throw new ChainUnreachable(`${wallet} changes too often to be read`, false);
  }

  async #poll(): Promise<boolean> {
    const found = new Map<string, ListedSignature>();
    const cursors: (() => void)[] = [];
    for (const opening of this.#openings.values()) {
      for (const [address, until] of opening.cursors) {
        const listed = await this.#reader.signaturesSince(address, { until, fromSlot: opening.slot });
        const [newest] = listed;
        if (newest === undefined) continue;
        // Oldest first; the stable sort by slot preserves the order within a slot.
        for (const one of listed.toReversed()) found.set(one.signature, one);
        cursors.push(() => opening.cursors.set(address, newest.signature));
      }
    }
    const unseen = [...found.values()].filter(({ signature }) => !this.#seen.has(signature));
    for (const { signature } of unseen.toSorted((a, b) => a.slot - b.slot)) {
      const record = await this.#reader.transaction(signature);
      if (record === null)
        throw new ChainUnreachable(`the cluster lists ${signature} but does not give it`, false);
      this.#report(record);
    }
    for (const move of cursors) move();
    return unseen.length > 0;
  }

  /** Reports a transaction once, with only the changes that are not on the books yet. */
  #report(record: TransactionRecord): void {
    if (this.#seen.has(record.signature)) return;
    this.#seen.add(record.signature);
    const touched = record.touched.filter(({ address }) => {
      const wallet = this.#walletOf.get(address);
      return wallet !== undefined && !this.isOlder(record, wallet);
    });
    if (touched.length > 0) this.#observer({ ...record, touched });
  }
}
