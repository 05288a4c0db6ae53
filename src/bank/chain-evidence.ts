import { type ChainBackend, type ChainReads, type Lookup } from '../chain/backend.js';
import { changeAt, otherMintsAt, paidBy, sourceOf } from '../chain/effects.js';
import { errorSentence } from '../chain/solana/errors.js';
import type { TransactionRecord } from '../chain/history.js';
import type { RequestContext } from '../core/domain/request-context.js';
import type { Refusal } from '../core/domain/errors.js';
import type { ChainReceipt, LookUp, OnChainData } from '../core/domain/ports.js';
import { type Result, ok, refuse } from '../core/domain/result.js';

/** A transaction that `caller` submits as evidence of a payment to `address`. */
interface ClaimedTransaction {
  readonly signature: string;
  readonly address: string;
  readonly caller: string;
}

export function unreachable(reason: string): Refusal {
  return {
    code: 'chain_unavailable',
    details: { reason },
    message: 'The chain cannot be reached; nothing was changed.',
  };
}

function notKnown(lookup: Exclude<Lookup, { kind: 'known' }>, signature: string): Result<never> {
  const details = { tx_signature: signature };
  switch (lookup.kind) {
    case 'unknown':
      return refuse('transaction_not_found', details);
    case 'unconfirmed':
      return refuse('transaction_not_confirmed', details);
    case 'older':
      return refuse('transaction_too_old', details);
    case 'unreachable':
      return { ok: false, refusal: unreachable(lookup.reason) };
  }
}

function onChainData(reads: ChainReads, wallet: string): OnChainData {
  const { transactions, firstSeconds } = reads.activityOf(wallet);
  return {
    lamports: reads.account(wallet)?.lamports ?? 0n,
    totalTransactions: transactions,
    firstSeenMs: firstSeconds === null ? null : firstSeconds * 1_000,
  };
}

/** Reads the on-chain inputs of the bank's decisions. */
export class ChainEvidence {
  readonly #chain: ChainBackend;
  readonly #usdcMint: string;

  constructor(chain: ChainBackend, usdcMint: string) {
    this.#chain = chain;
    this.#usdcMint = usdcMint;
  }

  /** Runs an operation on a transaction that its caller submits as evidence of a payment to an address of the bank. */
  ofTransaction<T>(
    { signature, address, caller }: ClaimedTransaction,
    cause: RequestContext,
    operation: (lookUp: LookUp) => T,
  ): T | Promise<T> {
    return this.#chain.reading({ transaction: { signature, address } }, (reads) => {
      let found: Result<ChainReceipt> | null = null;
      return operation(() => {
        if (found !== null) return found;
        const lookup = reads.lookUp(signature, address, cause);
        found =
          lookup.kind === 'known' ? ok(this.#receipt(lookup, address, caller)) : notKnown(lookup, signature);
        return found;
      });
    });
  }

  /** Runs an operation on the on-chain data of a wallet. Throws ChainUnreachable. */
  ofWallet<T>(wallet: string, operation: (onChain: OnChainData) => T): T | Promise<T> {
    return this.#chain.reading({ account: wallet, activityOf: wallet }, (reads) =>
      operation(onChainData(reads, wallet)),
    );
  }

  /** On-chain data of a wallet; null for a cluster. */
  onChainNow(wallet: string): OnChainData | null {
    const { reads } = this.#chain;
    return reads === null ? null : onChainData(reads, wallet);
  }

  #receipt(
    { record, isConfirmed }: { record: TransactionRecord; isConfirmed: boolean },
    address: string,
    caller: string,
  ): ChainReceipt {
    const mint = this.#usdcMint;
    const received = changeAt(record, address, mint);
    return {
      signature: record.signature,
      confirmed: isConfirmed,
      error: record.error === null ? null : errorSentence(record.error),
      received,
      usdcMint: mint,
      otherMints: otherMintsAt(record, address, mint),
      paidByCaller: paidBy(record, caller, mint),
      senders: { USDC: sourceOf(record, mint), SOL: sourceOf(record, null) },
      receivedByCaller: changeAt(record, caller, mint),
      slot: record.slot,
      blockTimeSeconds: record.blockTimeSeconds,
    };
  }
}
