import { ChainUnreachable, type Holdings } from '../backend.js';
import type { TransactionRecord } from '../history.js';
import { associatedTokenAddress, tokenAmount } from '../tokens.js';
import type { ListedSignature } from './answers.js';
import type { ClusterReader } from './reader.js';

/** So often the beginning of the books is read again when the address moves meanwhile. */
const OPENING_TRIES = 10;

/** From when on the books of a wallet count: what ran before is part of what it held then. */
interface Opening {
  readonly slot: number;
  /** Signatures of that very slot that had run by then. */
  readonly listed: ReadonlySet<string>;
  /** The newest signature that has been dealt with, by watched address. */
  readonly cursors: Map<string, string | undefined>;
}

/**
 * Finds what others do at the bank's addresses on a cluster, and tells of each transaction once. Whoever names a signature
 * makes it known at once; the rest is found when the bank asks for it, by listing signatures.
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

  /** Says that a transaction is the bank's own: it is never told of. */
  own(signature: string): void {
    this.#seen.add(signature);
  }

  isWatched(wallet: string): boolean {
    return this.#openings.has(wallet);
  }

  /** Begins to watch a wallet and its USDC; gives what they hold at that moment. */
  watch(wallet: string): Promise<Holdings> {
    return this.#enqueue(() => this.#open(wallet));
  }

  /** Whether a transaction ran before the books of a wallet began. */
  isOlder({ signature, slot }: { signature: string; slot: number }, wallet: string): boolean {
    const opening = this.#openings.get(wallet);
    if (opening === undefined) return true;
    return slot < opening.slot || (slot === opening.slot && opening.listed.has(signature));
  }

  /** Tells of a transaction that somebody has named, unless it is the bank's own or was told of before. */
  claim(record: TransactionRecord): Promise<void> {
    return this.#enqueue(async () => this.#tell(record));
  }

  /** Lists what is new at all watched addresses and tells of it, oldest first. Gives whether there was anything. */
  poll(): Promise<boolean> {
    return this.#enqueue(() => this.#poll());
  }

  // One after another, so that nothing falls between the beginning of one wallet's books and a list that was read before it.
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #open(wallet: string): Promise<Holdings> {
    const addresses = [wallet, associatedTokenAddress(wallet, this.#mint)];
    const newest = () =>
      Promise.all(addresses.map((address) => this.#reader.signatures(address, { limit: 100 })));
    const names = (lists: ListedSignature[][]) => lists.map((list) => list[0]?.signature).join();
    let before = await newest();
    for (let tries = 0; tries < OPENING_TRIES; tries += 1) {
      const { slot, accounts } = await this.#reader.accountsAt(addresses);
      const after = await newest();
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
    throw new ChainUnreachable(`${wallet} does not stand still long enough to be read`, false);
  }

  async #poll(): Promise<boolean> {
    const found = new Map<string, ListedSignature>();
    const cursors: (() => void)[] = [];
    for (const opening of this.#openings.values()) {
      for (const [address, until] of opening.cursors) {
        const listed = await this.#reader.signaturesSince(address, { until, fromSlot: opening.slot });
        const [newest] = listed;
        if (newest === undefined) continue;
        // Oldest first; the order of sorting by slot keeps that within a slot.
        for (const one of listed.toReversed()) found.set(one.signature, one);
        cursors.push(() => opening.cursors.set(address, newest.signature));
      }
    }
    const unseen = [...found.values()].filter(({ signature }) => !this.#seen.has(signature));
    for (const { signature } of unseen.toSorted((a, b) => a.slot - b.slot)) {
      const record = await this.#reader.transaction(signature);
      if (record === null)
        throw new ChainUnreachable(`the cluster lists ${signature} but does not give it`, false);
      this.#tell(record);
    }
    for (const move of cursors) move();
    return unseen.length > 0;
  }

  /** Tells of a transaction once, and of those of its changes only that the books do not count already. */
  #tell(record: TransactionRecord): void {
    if (this.#seen.has(record.signature)) return;
    this.#seen.add(record.signature);
    const touched = record.touched.filter(({ address }) => {
      const wallet = this.#walletOf.get(address);
      return wallet !== undefined && !this.isOlder(record, wallet);
    });
    if (touched.length > 0) this.#observer({ ...record, touched });
  }
}
