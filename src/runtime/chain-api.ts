import { setTimeout as pause } from 'node:timers/promises';
import { List } from 'immutable';
import type { Chain } from '../chain/chain.js';
import type { ClusterChain } from '../chain/cluster/cluster-chain.js';
import type { Account, Execution } from '../chain/engine.js';
import type { TransactionRecord } from '../chain/history.js';
import type { Submission } from '../chain/submission.js';
import { associatedTokenAddress, tokenAmount } from '../chain/solana/token-accounts.js';
import { parseTransaction } from '../chain/solana/wire.js';
import type { ChainConnection } from '../sdk/client/wallet.js';
import { MOST_LOOKED_AT, PAGE_ROWS, cursorNumber } from './inspection/page.js';
import { type TransactionQuery, checkQuery, transactionQuery } from './inspection/queries.js';
import { processed } from '../chain/submission.js';
import { inProcess } from './refusals.js';
import type { WorldParts } from './world-parts.js';
import { checkAddress } from '../core/domain/inputs.js';

export interface TransactionPage {
  readonly records: readonly TransactionRecord[];
  /** The `cursor` of the next page; null at the end. A short or empty page can have a next one. */
  readonly next: string | null;
  /** The number of transactions that mention the address; without one, of all records, including direct writes. */
  readonly size: number;
}

interface Parts extends Pick<WorldParts, 'bank' | 'scheduler' | 'embedded'> {
  /** The chain on any engine. */
  readonly chain: Chain | ClusterChain;
}

/** The bank's chain, for callers in this process. Calls that need an in-process chain throw ClusterLimit on a cluster. */
export class ChainApi implements ChainConnection {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  latestBlockhash(): { blockhash: string; lastValidBlockHeight: number } {
    return this.#here().latestBlockhash();
  }

  /** The chain access that a wallet needs, on any engine. While the clock runs, sending waits for the confirmation. */
  connection(): ChainConnection {
    const { chain } = this.#parts;
    return {
      latestBlockhash: () => chain.latestBlockhash(),
      sendTransaction: async (bytes) => {
        const record = processed(await this.submit(bytes));
        const { signature } = record;
        if (chain === this.#parts.embedded?.chain)
          // A revert may undo it.
          while (!chain.isFrozen() && chain.transaction(signature) !== null && !chain.isConfirmed(record))
            await pause(chain.msUntil(chain.slot() + 1));
        return { signature };
      },
    };
  }

  /** Submits a serialized transaction as a cluster would: checks signatures, blockhash and duplicates, and runs preflight. */
  async submit(bytes: Uint8Array, options: { skipPreflight?: boolean } = {}): Promise<Submission> {
    const skipPreflight = options.skipPreflight ?? false;
    const { chain, scheduler } = this.#parts;
    return scheduler.runShared(() => chain.submit(bytes, { skipPreflight }));
  }

  /** `submit` for wallets: rejects with ChainRefusal. */
  async sendTransaction(bytes: Uint8Array): Promise<{ signature: string }> {
    const { signature } = processed(await this.submit(bytes));
    return { signature };
  }

  /** The simulated outcome of a serialized transaction. Throws MalformedTransaction. */
  async simulateTransaction(bytes: Uint8Array): Promise<Execution> {
    return (await this.#here().simulate(parseTransaction(bytes))).execution;
  }

  getTransaction(signature: string): TransactionRecord | null {
    return this.#here().transaction(signature);
  }

  /** A page of the transactions on chain, newest first. Throws RangeError for a bad query. */
  transactions(query: TransactionQuery = {}): TransactionPage {
    checkQuery(query, transactionQuery);
    const { address, status, cursor, limit = PAGE_ROWS } = query;
    const { log, byAddress } = this.#here().history();
    const numbers = address === undefined ? null : (byAddress.get(address) ?? List<number>());
    const size = numbers === null ? log.size : numbers.size;
    // The log only grows at its newest end: positions in it never change.
    let at = (cursor === undefined ? size : cursorNumber(cursor, size - 1)) - 1;
    const records: TransactionRecord[] = [];
    for (let looked = 0; at >= 0 && records.length < limit && looked < MOST_LOOKED_AT; looked += 1, at -= 1) {
      const record = log.get(numbers === null ? at : (numbers.get(at) as number));
      if (record?.kind !== 'transaction') continue;
      if (status !== undefined && (status === 'failed') !== (record.error !== null)) continue;
      records.push(record);
    }
    return { records, next: at < 0 ? null : `${at + 1}`, size };
  }

  getAccount(address: string): Promise<Account | null> {
    return this.#parts.chain.getAccount(address);
  }

  /** The current slot; on a cluster the last one that its node reported. */
  slot(): number {
    return this.#parts.chain.slot();
  }

  /** Whether a transaction with this blockhash may still run. */
  isRecent(blockhash: string): boolean {
    return this.#here().isBlockhashRecent(blockhash, 'processed');
  }

  /** The height of the latest block. */
  heightAt(): number {
    return this.#here().heightAt();
  }

  blockhashAt(height: number): string {
    return this.#here().blockhashAt(height);
  }

  /** The current value of a durable nonce account; null for any other address. */
  durableNonce(address: string): string | null {
    return this.#here().durableNonce(address);
  }

  /** A wallet's lamports and base units of USDC. Throws RangeError for an invalid address. */
  async balances(wallet: string): Promise<{ lamports: bigint; usdcBase: bigint }> {
    checkAddress(wallet);
    const { chain, bank } = this.#parts;
    const account = await chain.getAccount(wallet);
    const tokens = await chain.getAccount(associatedTokenAddress(wallet, bank.addresses.usdcMint));
    return { lamports: account?.lamports ?? 0n, usdcBase: tokenAmount(tokens) };
  }

  /**
   * A wallet's balances from the chain's account cache, without querying the engine: includes the bank's
   * transfers before they are verified. For reports after every step.
   */
  balancesByCopy(wallet: string): { lamports: bigint; usdcBase: bigint } {
    const chain = this.#here();
    const { usdcMint } = this.#parts.bank.addresses;
    const tokens = chain.knownAccount(associatedTokenAddress(wallet, usdcMint));
    return { lamports: chain.knownAccount(wallet)?.lamports ?? 0n, usdcBase: tokenAmount(tokens) };
  }

  /** How many transactions mention an address, and when the first of them ran; null when there are none. */
  activityOf(address: string): { transactions: number; firstSeenMs: number | null } {
    const chain = this.#here();
    const first = chain.firstTransaction(address);
    return {
      transactions: chain.transactionCount(address),
      firstSeenMs: first === null ? null : first.blockTimeSeconds * 1_000,
    };
  }

  #here(): Chain {
    return inProcess(this.#parts.embedded, 'read').chain;
  }
}
