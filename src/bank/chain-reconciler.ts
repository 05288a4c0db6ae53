import type { ChainBackend } from '../chain/backend.js';
import { changeAt } from '../chain/effects.js';
import type { TouchedAccount, TransactionRecord } from '../chain/history.js';
import { associatedTokenAddress, tokenAmount, tokenHolding } from '../chain/solana/token-accounts.js';
import { type ChainHoldings, type Violation, checkBooks, checkChain } from '../core/domain/invariants.js';
import type { PerToken } from '../core/domain/money.js';
import type { RequestContext } from '../core/domain/request-context.js';
import {
  type ObservedChange,
  observeChain,
  openCollection,
} from '../core/domain/operations/observe-chain.js';
import type { BankAddresses } from './addresses.js';
import type { BankWorld } from './bank-world.js';
import type { Books } from './books.js';

// A cluster may advance while it is read; the comparison is then repeated up to this many times.
const PROOF_TRIES = 5;

/** Keeps the books in step with external transactions at the bank's addresses, and verifies that they match. */
export class ChainReconciler {
  readonly #books: Books;
  readonly #chain: ChainBackend;
  readonly #addresses: BankAddresses;
  readonly #world: BankWorld;
  /** Collection addresses that are about to be watched. */
  readonly #opening = new Map<string, Promise<void>>();

  constructor(parts: { books: Books; chain: ChainBackend; addresses: BankAddresses; world: BankWorld }) {
    this.#books = parts.books;
    this.#chain = parts.chain;
    this.#addresses = parts.addresses;
    this.#world = parts.world;
    parts.chain.onForeignTransaction((record) => this.#observe(record));
  }

  /** Begins to watch the treasury; resolves to its holdings. Null when the chain reports all changes by itself. */
  openTreasury(): Promise<PerToken<bigint>> | null {
    return this.#chain.watch(this.#addresses.treasury.address);
  }

  /**
   * Books what a new customer's collection address already holds: anyone can derive that address beforehand. The effect
   * of the bank's own `unbooked` transactions is booked with them. Does nothing on a cluster; there, `ready` does it.
   */
  adopt(wallet: string, collectionAddress: string, unbooked: readonly string[], cause: RequestContext): void {
    const tokenAccount = associatedTokenAddress(collectionAddress, this.#addresses.usdcMint);
    const { reads } = this.#chain;
    if (reads === null) return;
    const held = {
      USDC: tokenAmount(reads.account(tokenAccount)),
      SOL: reads.account(collectionAddress)?.lamports ?? 0n,
    };
    const draft = openCollection(wallet, this.#less(held, collectionAddress, this.#executed(unbooked)));
    if (draft !== null) this.#books.append(draft, this.#world.nowMs(), cause);
  }

  /**
   * Ensures that a customer's collection address is watched before anything moves there; its earlier holdings are
   * booked. Null when it already is. Throws ChainUnreachable.
   */
  ready(collectionAddress: string): Promise<void> | null {
    const opening = this.#opening.get(collectionAddress);
    if (opening !== undefined) return opening;
    const held = this.#chain.watch(collectionAddress);
    if (held === null) return null;
    const done = this.#openCollection(collectionAddress, held).finally(() =>
      this.#opening.delete(collectionAddress),
    );
    this.#opening.set(collectionAddress, done);
    return done;
  }

  /** Whether the initial holdings of a watched collection address include a transaction of the bank. */
  isInOpening(ran: { readonly signature: string; readonly slot: number }, address: string): boolean {
    return this.#books.state.collections.has(address) && this.#chain.isInOpening(ran, address);
  }

  /**
   * All violated rules, of the books and between books and chain. Call it with nothing in flight. `late`: signatures of
   * the bank's own transactions with unknown outcome; the books do not have their effect yet.
   */
  async invariants(late: readonly string[]): Promise<Violation[]> {
    for (let tries = 1; ; tries += 1) {
      for (const agent of this.#books.state.agents.values()) await this.ready(agent.collectionAddress);
      await this.#chain.catchUp();
      const { state } = this.#books;
      const agents = [...state.agents.values()];
      const treasury = this.#addresses.treasury.address;
      const [held, ...collected] = await this.#holdings([
        treasury,
        ...agents.map(({ collectionAddress }) => collectionAddress),
      ]);
      const collections = new Map(
        agents.map(({ wallet }, at) => [wallet, collected[at] as PerToken<bigint>]),
      );
      const chain = this.#without(this.#executed(late), { treasury: held as PerToken<bigint>, collections });
      const found = [...checkBooks(state, this.#world.constants.terms), ...checkChain(state, chain)];
      if (found.length === 0 || tries === PROOF_TRIES || !(await this.#chain.catchUp())) return found;
    }
  }

  /** The holdings on chain without the effect of these transactions. */
  #without(records: readonly TransactionRecord[], held: ChainHoldings): ChainHoldings {
    if (records.length === 0) return held;
    const { treasury } = this.#addresses;
    const collections = new Map<string, PerToken<bigint>>();
    for (const [wallet, now] of held.collections) {
      const address = this.#books.state.agents.get(wallet)?.collectionAddress;
      collections.set(wallet, address === undefined ? now : this.#less(now, address, records));
    }
    return { treasury: this.#less(held.treasury, treasury.address, records), collections };
  }

  /** The holdings of an address without the effect of these transactions. */
  #less(held: PerToken<bigint>, wallet: string, records: readonly TransactionRecord[]): PerToken<bigint> {
    let { USDC, SOL } = held;
    for (const record of records) {
      const change = changeAt(record, wallet, this.#addresses.usdcMint);
      USDC -= change.USDC;
      SOL -= change.SOL;
    }
    return { USDC, SOL };
  }

  /** The bank's own transactions that have run, as far as the chain reports. */
  #executed(signatures: readonly string[]): TransactionRecord[] {
    return signatures
      .map((signature) => this.#chain.executedUnconfirmed(signature))
      .filter((ran) => ran !== null);
  }

  async #openCollection(address: string, held: Promise<PerToken<bigint>>): Promise<void> {
    const owner = this.#books.state.collections.get(address);
    if (owner === undefined) throw new Error(`${address} is not a collection address`);
    const draft = openCollection(owner, await held);
    if (draft !== null) this.#books.append(draft, this.#world.nowMs());
  }

  async #holdings(wallets: readonly string[]): Promise<PerToken<bigint>[]> {
    const { usdcMint } = this.#addresses;
    const addresses = wallets.flatMap((wallet) => [wallet, associatedTokenAddress(wallet, usdcMint)]);
    const accounts = await this.#chain.getAccounts(addresses);
    return wallets.map((_, at) => ({
      USDC: tokenAmount(accounts[2 * at + 1] ?? null),
      SOL: accounts[2 * at]?.lamports ?? 0n,
    }));
  }

  #observe(record: TransactionRecord): void {
    const wallets = new Set<string>();
    for (const touched of record.touched) {
      const wallet = this.isOurs(touched.address) ? touched.address : this.#ownerOfTokens(touched);
      if (wallet !== null) wallets.add(wallet);
    }
    const mint = this.#addresses.usdcMint;
    const changes = [...wallets].map((wallet): ObservedChange => ({
      owner: this.#books.state.collections.get(wallet) ?? null,
      change: changeAt(record, wallet, mint),
    }));
    const draft = observeChain(record.signature, changes);
    if (draft !== null) this.#books.append(draft, this.#world.nowMs());
  }

  /** Whether this is the treasury or a customer's collection address. */
  isOurs(wallet: string): boolean {
    return wallet === this.#addresses.treasury.address || this.#books.state.collections.has(wallet);
  }

  /** Whether the bank signs for this wallet: ours, or the lending protocol's. */
  signsFor(wallet: string): boolean {
    return this.isOurs(wallet) || wallet === this.#addresses.protocol.address;
  }

  /** The bank address that owns, or owned, this USDC account; null for other accounts. */
  #ownerOfTokens({ address, pre, post }: TouchedAccount): string | null {
    const wallet = (tokenHolding(post) ?? tokenHolding(pre))?.owner;
    if (wallet === undefined || !this.isOurs(wallet)) return null;
    return associatedTokenAddress(wallet, this.#addresses.usdcMint) === address ? wallet : null;
  }
}
