import bs58 from 'bs58';
import type { Chain } from '../../../chain/chain.js';
import { errorSentence } from '../../../chain/solana/errors.js';
import { parseTransaction } from '../../../chain/solana/wire.js';
import type { RequestContext } from '../../../core/domain/request-context.js';
import type { KeyPair } from '../../../world/keys.js';
import type { SvmSigner, X402Sdk } from './sdk.js';

/** How long a settlement waits for its confirmation; the SDK reports longer ones as pending and retries. */
const CONFIRMATION_MS = 30_000;

/** The dependencies of a facilitator for paying fees and settling. */
export interface SettlementParts {
  readonly chain: Chain;
  /** Pays the network fees. */
  readonly key: KeyPair;
  /** Runs work while no operation on the whole world (such as a restore) is in progress. */
  readonly scheduler: { runShared<T>(work: () => T | Promise<T>): T | Promise<T> };
  readonly wait: (ms: number) => Promise<void>;
}

interface SignerParts extends SettlementParts {
  /** The request in progress, which the event log names as the cause of the transaction. */
  readonly cause: () => RequestContext | undefined;
}

/** A signer that also finds the payments that the chain has run. */
export interface ChainSigner extends SvmSigner {
  /** Where the chain has run a payment: its signature, and why it is not settled now. Null when it has not, or the payment failed. */
  landed(payment: string): { readonly transaction: string; readonly errorReason: string } | null;
}

/** An in-process chain behind the port of the SDK's facilitator, for any network name. */
export function chainSigner(
  { chain, key, scheduler, wait, cause }: SignerParts,
  { TransactionOnchainFailureError }: Pick<X402Sdk, 'TransactionOnchainFailureError'>,
): ChainSigner {
  const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64');
  const signed = (text: string, feePayer: string): Buffer => {
    const bytes = Buffer.from(text, 'base64');
    const wire = parseTransaction(bytes);
    const at = wire.keys.indexOf(feePayer);
    if (feePayer !== key.address || at < 0 || at >= wire.requiredSignatures)
      throw new Error(
        `the facilitator does not have the key of ${feePayer}, or the transaction does not require it`,
      );
    // The signatures precede the message, after one byte with their count.
    bytes.set(key.sign(wire.message), 1 + at * 64);
    return bytes;
  };
  return {
    getAddresses: () => [key.address],

    signTransaction: async (text, feePayer) => signed(text, feePayer).toString('base64'),

    simulateTransaction: async (text) => {
      // With the signature that it would be sent with, by which the chain knows a transaction that it has run.
      const refusal = await scheduler.runShared(() =>
        chain.refusalOf(parseTransaction(signed(text, key.address))),
      );
      if (refusal !== null)
        throw new Error(`${errorSentence(refusal.error)} ${refusal.logs.join(' | ')}`.trim());
    },

    sendTransaction: async (text) => {
      const submission = await scheduler.runShared(() => chain.submit(bytesOf(text), { cause: cause() }));
      if (submission.kind === 'refused') throw new Error(errorSentence(submission.error));
      return submission.record.signature;
    },

    landed: (text) => {
      const transaction = bs58.encode(key.sign(parseTransaction(bytesOf(text)).message));
      const record = chain.transaction(transaction);
      if (record === null || record.error !== null) return null;
      const isConfirmed = chain.isConfirmed(record);
      return { transaction, errorReason: isConfirmed ? 'duplicate_settlement' : 'settlement_pending' };
    },

    confirmTransaction: async (signature) => {
      let leftMs = CONFIRMATION_MS;
      for (;;) {
        const record = chain.transaction(signature);
        if (record !== null && record.error !== null)
          throw new TransactionOnchainFailureError(errorSentence(record.error));
        if (record !== null && chain.isConfirmed(record)) return;
        const nextMs = chain.msUntil(chain.slot() + 1);
        if (nextMs > leftMs)
          throw new Error(`${signature} is not confirmed yet; advance the time and settle again`);
        leftMs -= nextMs;
        await wait(nextMs);
      }
    },
  };
}
