import type { Chain } from '../chain/chain.js';
import { changeAt } from '../chain/effects.js';
import type { TransactionRecord } from '../chain/history.js';
import { associatedTokenAddress, tokenAmount } from '../chain/tokens.js';
import { type Violation, checkBooks, checkChain } from '../domain/invariants.js';
import type { PerToken } from '../domain/money.js';
import { type ObservedChange, observeChain } from '../domain/operations/observe-chain.js';
import type { BankAddresses } from './addresses.js';
import type { Books } from './books.js';

/** Keeps the books in step with what others do on chain at the bank's addresses, and proves that they are. */
export class ChainWatch {
  readonly #books: Books;
  readonly #chain: Chain;
  readonly #addresses: BankAddresses;
  readonly #nowMs: () => number;

  constructor(parts: { books: Books; chain: Chain; addresses: BankAddresses; nowMs: () => number }) {
    this.#books = parts.books;
    this.#chain = parts.chain;
    this.#addresses = parts.addresses;
    this.#nowMs = parts.nowMs;
    parts.chain.onForeignTransaction((record) => this.#observe(record));
  }

  /** Every rule that does not hold, on the books and between books and chain. Call it at a settled moment. */
  async invariants(): Promise<Violation[]> {
    const { state } = this.#books;
    const collections = new Map<string, PerToken<bigint>>();
    for (const agent of state.agents.values()) {
      collections.set(agent.wallet, await this.#holdings(agent.collectionAddress));
    }
    const treasury = await this.#holdings(this.#addresses.treasury.address);
    return [...checkBooks(state), ...checkChain(state, { treasury, collections })];
  }

  async #holdings(wallet: string): Promise<PerToken<bigint>> {
    const account = await this.#chain.getAccount(wallet);
    const tokens = await this.#chain.getAccount(associatedTokenAddress(wallet, this.#addresses.usdcMint));
    return { USDC: tokenAmount(tokens), SOL: account?.lamports ?? 0n };
  }

  #observe(record: TransactionRecord): void {
    const wallets = new Set<string>();
    for (const { address } of record.touched) {
      const wallet = this.isOurs(address) ? address : this.#ownerOfTokens(address);
      if (wallet !== null) wallets.add(wallet);
    }
    const mint = this.#addresses.usdcMint;
    const changes = [...wallets].map((wallet): ObservedChange => ({
      owner: this.#books.state.collections.get(wallet) ?? null,
      change: changeAt(record, wallet, mint),
    }));
    const draft = observeChain(record.signature, changes);
    if (draft !== null) this.#books.append(draft, this.#nowMs());
  }

  /** Whether this is the treasury or a customer's collection address. */
  isOurs(wallet: string): boolean {
    return wallet === this.#addresses.treasury.address || this.#books.state.collections.has(wallet);
  }

  /** The address of the bank whose own USDC account this is; null for all others. */
  #ownerOfTokens(address: string): string | null {
    const wallet = this.#chain.tokenOwner(address);
    if (wallet === null || !this.isOurs(wallet)) return null;
    return associatedTokenAddress(wallet, this.#addresses.usdcMint) === address ? wallet : null;
  }
}
