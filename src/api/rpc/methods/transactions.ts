import type { TransactionRecord } from '../../../chain/history.js';
import type { TransactionError } from '../../../chain/engine.js';
import { errorSentence } from '../../../chain/solana/errors.js';
import { transactionFee } from '../../../chain/fees.js';
import type { Commitment } from '../../../chain/slots.js';
import {
  MAX_TRANSACTION_BYTES,
  MalformedTransaction,
  type WireTransaction,
  parseTransaction,
} from '../../../chain/solana/wire.js';
import type { MethodTable, RpcContext } from '../context.js';
import { balancesOf, NO_BALANCES } from '../encoding/balances.js';
import {
  TRANSACTION_ENCODINGS,
  type TransactionEncoding,
  encodeMeta,
  encodeTransaction,
  memoOf,
  statusOf,
  versionOf,
  encodeAccountList,
} from '../encoding/transaction.js';
import { decodedBase58, decodedBase64 } from '../bytes.js';
import { RPC_CODES, RpcError, invalidParam, invalidParams } from '../errors.js';
import { Config, type Params, checkedLimit, signatureText } from '../params.js';
import { simulationValue } from '../simulation.js';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1_000;

/** The longest texts that can encode a transaction. Source: MAX_BASE58_SIZE and MAX_BASE64_SIZE of Agave's rpc. */
const MAX_TEXT = { base58: 1_683, base64: 1_644 };

/** The decoded types, by the names in messages of clusters. */
const TYPES = {
  transaction: 'solana_transaction::versioned::VersionedTransaction',
  message: 'solana_message::versions::VersionedMessage',
};

/** Decodes a transaction or message. Throws invalid params. */
function decodeBytes(text: string, encoding: 'base58' | 'base64', type: string): Uint8Array {
  const most = MAX_TEXT[encoding];
  if (text.length > most)
    throw invalidParams(
      `${encoding} encoded ${type} too large: ${text.length} bytes (max: encoded/raw ${most}/${MAX_TRANSACTION_BYTES})`,
    );
  const bytes = encoding === 'base64' ? decodedBase64(text) : decodedBase58(text);
  if (typeof bytes === 'string') throw invalidParams(`invalid ${encoding} encoding: ${bytes}`);
  if (bytes.length <= MAX_TRANSACTION_BYTES) return bytes;
  throw invalidParams(
    `decoded ${type} too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES} bytes)`,
  );
}

function wireOf(bytes: Uint8Array, type: string): WireTransaction {
  try {
    return parseTransaction(bytes);
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    throw invalidParams(
      error.unreadable === null
        ? `invalid transaction: Transaction failed to sanitize accounts offsets correctly: ${error.message}`
        : `failed to deserialize ${type}: ${error.unreadable}`,
    );
  }
}

export function decodeTransaction(text: string, encoding: 'base58' | 'base64'): WireTransaction {
  return wireOf(decodeBytes(text, encoding, TYPES.transaction), TYPES.transaction);
}

function givenTransaction(params: Params, config: Config): WireTransaction {
  const encoding = config.oneOf('encoding', ['base58', 'base64']) ?? 'base58';
  return decodeTransaction(params.text(0, 'transaction'), encoding);
}

/** The signers of the transaction in a call; empty when it cannot be parsed. */
export function signersOf(params: Params): readonly string[] {
  try {
    const wire = givenTransaction(params, params.config(1));
    return wire.keys.slice(0, wire.requiredSignatures);
  } catch (error) {
    if (error instanceof RpcError) return [];
    throw error;
  }
}

/** The commitments of methods that read blocks, which clusters store from `confirmed` on. */
export function atLeastConfirmed(context: RpcContext, config: Config): Exclude<Commitment, 'processed'> {
  return requireConfirmed(context.commitment(config));
}

/** Throws invalid params for a commitment at which there are no blocks. */
export function requireConfirmed(commitment: Commitment): Exclude<Commitment, 'processed'> {
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

/** The requested encoding and transaction versions; the second parameter may be the encoding alone. */
export function transactionShape(params: Params): {
  config: Config;
  encoding: TransactionEncoding;
  max: number | undefined;
} {
  const second = params.get(1);
  const config =
    typeof second === 'string' ? new Config({ encoding: second }, 'params[1]') : params.config(1);
  return {
    config,
    encoding: config.oneOf('encoding', TRANSACTION_ENCODINGS) ?? 'json',
    max: config.integer('maxSupportedTransactionVersion', 255),
  };
}

/** A transaction and its metadata, in the form of getTransaction and getBlock. */
export async function encodeRecord(
  context: RpcContext,
  record: TransactionRecord,
  shape: { encoding: TransactionEncoding; max: number | undefined; details?: string },
): Promise<object> {
  const wire = parseTransaction(record.bytes);
  const version = versionOf(wire, shape);
  const { pre, post } = await context.view.accountsOf(record);
  const balances = balancesOf(pre, post, await context.decimals([...pre, ...post]));
  const meta = encodeMeta(record, wire, balances, shape.encoding === 'jsonParsed');
  if (shape.details !== 'accounts')
    return { transaction: encodeTransaction(wire, record.accountKeys, shape.encoding), meta, ...version };
  const { err, status, fee } = meta;
  const transaction = encodeAccountList(wire, record.accountKeys);
  return { transaction, meta: { err, status, fee, ...balances }, ...version };
}

function confirmationStatus(context: RpcContext, { slot, signature }: TransactionRecord): Commitment {
  if (context.world.transactionFaults.isHeld(signature)) return 'processed';
  if (slot <= context.chain.slotAt('finalized')) return 'finalized';
  return slot <= context.chain.slotAt('confirmed') ? 'confirmed' : 'processed';
}

/** Whether a transaction may still run: its blockhash is recent, or a current durable nonce. */
function isLive({ chain }: RpcContext, wire: WireTransaction, commitment: Commitment): boolean {
  return chain.isBlockhashRecent(wire.blockhash, commitment) || chain.hasDurableNonce(wire);
}

async function preflightFailure(
  context: RpcContext,
  wire: WireTransaction,
  error: TransactionError,
): Promise<RpcError> {
  const value = await simulationValue(context, wire, { accounts: null, withInner: false, isReplaced: false });
  // Source: send_transaction of Agave's rpc, which leaves out what it does not record in preflight.
  return new RpcError(RPC_CODES.preflightFailure, `Transaction simulation failed: ${errorSentence(error)}`, {
    ...value,
    err: error,
    ...NO_BALANCES,
    loadedAddresses: null,
  });
}

const SIGNATURE_FAILURE = 'Transaction signature verification failure';

/** Methods that send, simulate and look up transactions. */
export const TRANSACTION_METHODS: MethodTable = {
  async sendTransaction(params, context, cause) {
    const config = params.config(1);
    const wire = givenTransaction(params, config);
    const skipPreflight = config.flag('skipPreflight');
    const commitment = config.commitment('preflightCommitment');
    context.requireSlot(config, commitment);
    config.integer('maxRetries');
    if (!skipPreflight && !isLive(context, wire, commitment)) {
      throw await preflightFailure(context, wire, 'BlockhashNotFound');
    }
    const submission = await context.submit(wire, { skipPreflight, cause });
    // Lost or delayed by a fault; the sender gets the response of a node that has accepted it.
    if (submission === null) return wire.signature;
    // Without preflight a cluster accepts any transaction, and silently drops one that cannot run.
    if (submission.kind === 'processed') return wire.signature;
    if (skipPreflight) {
      context.dropped(wire.signature, errorSentence(submission.error), cause.requestId ?? '');
      return wire.signature;
    }
    if (submission.error === 'SignatureFailure')
      throw new RpcError(RPC_CODES.signatureVerificationFailure, SIGNATURE_FAILURE);
    throw await preflightFailure(context, wire, submission.error);
  },

  async simulateTransaction(params, context) {
    const config = params.config(1);
    const wire = givenTransaction(params, config);
    const isReplaced = config.flag('replaceRecentBlockhash');
    const isVerified = config.flag('sigVerify');
    if (isReplaced && isVerified)
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const accounts = config.config('accounts');
    const commitment = context.commitment(config);
    const withInner = config.flag('innerInstructions');
    if (isVerified && !context.chain.verify(wire))
      throw new RpcError(RPC_CODES.signatureVerificationFailure, SIGNATURE_FAILURE);
    return context.at(
      commitment,
      await simulationValue(context, wire, { accounts: accounts ?? null, withInner, isReplaced }),
    );
  },

  getFeeForMessage(params, context) {
    const message = decodeBytes(params.text(0, 'message'), 'base64', TYPES.message);
    const commitment = context.commitment(params.config(1));
    const count = ((message[0] ?? 0) & 0x80) === 0 ? (message[0] ?? 0) : (message[1] ?? 0);
    if (count === 0 || count > 19)
      throw invalidParam('the message is not valid: it must be signed by 1 to 19 keys');
    const signed = Buffer.concat([Uint8Array.of(count), new Uint8Array(64 * count), message]);
    const wire = wireOf(signed, TYPES.message);
    const isKnown = isLive(context, wire, commitment);
    const fee = transactionFee(wire, context.chain.engine.nativeUnits);
    return context.at(commitment, isKnown ? fee : null);
  },

  getSignatureStatuses(params, context) {
    const signatures = params
      .list(0, 'signatures', MAX_STATUSES)
      .map((value, at) => signatureText(value, `signatures[${at}] (params[0])`));
    const isSearched = params.config(1).flag('searchTransactionHistory');
    const statuses = signatures.map((signature) => {
      const record = context.chain.transaction(signature);
      if (record === null || !(isSearched || context.view.hasStatus(record))) return null;
      const status = confirmationStatus(context, record);
      return {
        slot: record.slot,
        confirmations: status === 'finalized' ? null : context.chain.slot() - record.slot,
        err: record.error,
        status: statusOf(record.error),
        confirmationStatus: status,
      };
    });
    return context.at('processed', statuses);
  },

  getSignaturesForAddress(params, context) {
    const address = params.address(0, 'address');
    const config = params.config(1);
    const limit = checkedLimit(config.integer('limit') ?? MAX_SIGNATURES, MAX_SIGNATURES);
    if (limit === 0) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
    const [before, until] = ['before', 'until'].map((name) =>
      config.get(name) === undefined ? undefined : signatureText(config.get(name), name),
    );
    const commitment = atLeastConfirmed(context, config);
    return context.view.transactionsOf(address, { limit, before, until, commitment }).map((record) => ({
      signature: record.signature,
      slot: record.slot,
      err: record.error,
      memo: memoOf(record),
      blockTime: record.blockTimeSeconds,
      confirmationStatus: confirmationStatus(context, record),
    }));
  },

  async getTransaction(params, context) {
    const signature = params.signature(0, 'signature');
    const shape = transactionShape(params);
    const commitment = atLeastConfirmed(context, shape.config);
    const record = context.view.transaction(signature, commitment);
    if (record === null || context.world.transactionFaults.isHeld(signature)) return null;
    return {
      slot: record.slot,
      blockTime: record.blockTimeSeconds,
      ...(await encodeRecord(context, record, shape)),
    };
  },

  async requestAirdrop(params, context, cause) {
    const address = params.address(0, 'pubkey');
    const lamports = params.u64(1, 'lamports');
    context.commitment(params.config(2));
    const submission = await context.world.faucet.giveSol(address, lamports, { cause, skipPreflight: true });
    if (submission.kind === 'processed') return submission.record.signature;
    throw new RpcError(
      RPC_CODES.internalError,
      `The airdrop was refused: ${errorSentence(submission.error)} The faucet began with 500,000 SOL.`,
    );
  },
};
