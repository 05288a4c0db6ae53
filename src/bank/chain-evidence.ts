import {
  type Activity,
  type ChainBackend,
  ChainUnreachable,
  type Lookup,
  type MaybePromise,
  mapMaybe,
} from '../chain/backend.js';
import { changeAt, otherMintsAt, paidBy, sourceOf } from '../chain/effects.js';
import type { Account } from '../chain/engine.js';
import { errorSentence } from '../chain/solana/errors.js';
import type { TransactionRecord } from '../chain/history.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Refusal } from '../core/domain/errors.js';
import type { ChainReceipt, OnChainData } from '../core/domain/ports.js';
import type { Result } from '../core/domain/result.js';

/** The chain's evidence for a transaction that a caller wants counted. */
export interface Evidence {
  /** Null when the chain does not know it, or is unreachable. */
  readonly receipt: ChainReceipt | null;
  /** Why there is no receipt, unless the chain simply does not know the transaction. */
  readonly lookupError: Refusal | null;
}

/** Converts ChainUnreachable to evidence. Rethrows every other error. */
export function unreachableEvidence(error: unknown): Evidence {
  if (!(error instanceof ChainUnreachable)) throw error;
  return { receipt: null, lookupError: unreachable(error.message) };
}

/** Converts ChainUnreachable to null. Rethrows every other error. */
export function nullIfUnreachable(error: unknown): null {
  if (!(error instanceof ChainUnreachable)) throw error;
  return null;
}

export function unreachable(reason: string): Refusal {
  return {
    code: 'chain_unavailable',
    details: { reason },
    message: 'The chain cannot be reached; nothing was changed.',
  };
}

/** A decision on evidence, with the lookup error in place of `transaction_not_found`. */
export function withLookupError<T>(decision: Result<T>, { lookupError }: Evidence): Result<T> {
  if (decision.ok || lookupError === null || decision.refusal.code !== 'transaction_not_found')
    return decision;
  return { ok: false, refusal: lookupError };
}

function lookupErrorOf(lookup: Exclude<Lookup, { kind: 'known' }>, signature: string): Refusal | null {
  const details = { tx_signature: signature };
  switch (lookup.kind) {
    case 'unknown':
      return null;
    case 'unconfirmed':
      return { code: 'transaction_not_confirmed', details };
    case 'older':
      return {
        code: 'transaction_already_recorded',
        details,
        message: 'The transaction is older than the books of this bank, which began with what it had moved.',
      };
    case 'unreachable':
      return unreachable(lookup.reason);
  }
}

function onChainData(
  account: Account | null | undefined,
  { transactions, firstSeconds }: Activity,
): OnChainData {
  return {
    lamports: account?.lamports ?? 0n,
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

  /** A transaction's effect on `address`, and on the caller's own wallet. */
  find(
    signature: string,
    address: string,
    caller: string,
    cause: RequestContext = NO_REQUEST,
  ): MaybePromise<Evidence> {
    return mapMaybe(this.#chain.lookUp(signature, address, cause), (lookup) =>
      lookup.kind === 'known'
        ? { receipt: this.#receipt(lookup, address, caller), lookupError: null }
        : { receipt: null, lookupError: lookupErrorOf(lookup, signature) },
    );
  }

  /** On-chain data of a wallet. Throws ChainUnreachable. */
  async onChain(wallet: string): Promise<OnChainData> {
    const [account] = await this.#chain.getAccounts([wallet]);
    return onChainData(account, await this.#chain.activityOf(wallet));
  }

  /** On-chain data of a wallet; null for a chain that cannot be read synchronously. */
  onChainNow(wallet: string): OnChainData | null {
    const accounts = this.#chain.accountsNow([wallet]);
    const activity = accounts === null ? null : this.#chain.activityOf(wallet);
    if (accounts === null || activity === null || activity instanceof Promise) return null;
    return onChainData(accounts[0], activity);
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
