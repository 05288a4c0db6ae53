import type { Chain } from '../chain/chain.js';
import { changeAt, paidBy, sourceOf } from '../chain/effects.js';
import { errorText } from '../chain/engine.js';
import type { ChainReceipt, OnChainData } from '../domain/ports.js';

/** What the bank reads from the chain before it decides. */
export class ChainEvidence {
  readonly #chain: Chain;
  readonly #usdcMint: string;

  constructor(chain: Chain, usdcMint: string) {
    this.#chain = chain;
    this.#usdcMint = usdcMint;
  }

  /** What a transaction did to `address`, and to the caller's own wallet; null when the chain does not know it. */
  receipt(signature: string, address: string, caller: string): ChainReceipt | null {
    const record = this.#chain.transaction(signature);
    if (record === null) return null;
    const mint = this.#usdcMint;
    const received = changeAt(record, address, mint);
    return {
      signature,
      confirmed: this.#chain.isConfirmed(record),
      error: record.error === null ? null : errorText(record.error),
      received,
      paidByCaller: paidBy(record, caller, mint),
      sender: sourceOf(record, received.USDC > 0n ? mint : null),
      receivedByCaller: changeAt(record, caller, mint),
      slot: record.slot,
      blockTimeSeconds: record.blockTimeSeconds,
    };
  }

  /** What the chain knows of a wallet. */
  async onChain(wallet: string): Promise<OnChainData> {
    const account = await this.#chain.getAccount(wallet);
    const first = this.#chain.firstTransaction(wallet);
    return {
      lamports: account?.lamports ?? 0n,
      totalTransactions: this.#chain.transactionCount(wallet),
      firstSeenMs: first === null ? null : first.blockTimeSeconds * 1_000,
    };
  }
}
