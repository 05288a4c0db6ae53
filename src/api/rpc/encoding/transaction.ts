import bs58 from 'bs58';
import type { Execution, InnerInstruction, TransactionError } from '../../../chain/engine.js';
import type { TransactionRecord } from '../../../chain/history.js';
import {
  type WireInstruction,
  type WireTransaction,
  isWritable,
  parseTransaction,
} from '../../../chain/solana/wire.js';
import { RPC_CODES, RpcError } from '../errors.js';
import { parseInstruction } from '../parsed/instructions.js';
import type { Balances } from './balances.js';

export const TRANSACTION_ENCODINGS = ['json', 'jsonParsed', 'base64', 'base58', 'binary'] as const;
export type TransactionEncoding = (typeof TRANSACTION_ENCODINGS)[number];

/** The legacy status member that clients still read. */
export function statusOf(error: TransactionError | null): object {
  return error === null ? { Ok: null } : { Err: error };
}

/** Splits all keys of a transaction; returns the addresses loaded from lookup tables. */
export function loadedOf(wire: WireTransaction, accountKeys: readonly string[]) {
  let writable = 0;
  for (const lookup of wire.lookups) writable += lookup.writable.length;
  const end = wire.keys.length + writable;
  return { writable: accountKeys.slice(wire.keys.length, end), readonly: accountKeys.slice(end) };
}

function compiled({ programIdIndex, accounts, data }: WireInstruction, stackHeight: number | null): object {
  return { programIdIndex, accounts, data: bs58.encode(data), stackHeight };
}

function parsed(
  { programIdIndex, accounts, data }: WireInstruction,
  keys: readonly string[],
  stackHeight: number | null,
): object {
  const programId = keys[programIdIndex] ?? '';
  const named = accounts.map((index) => keys[index] ?? '');
  const known = parseInstruction({ programId, accounts: named, data });
  return known === null
    ? { programId, accounts: named, data: bs58.encode(data), stackHeight }
    : { ...known, stackHeight };
}

function parsedKeys(wire: WireTransaction, accountKeys: readonly string[]): object[] {
  const { writable } = loadedOf(wire, accountKeys);
  return accountKeys.map((pubkey, at) => ({
    pubkey,
    signer: at < wire.requiredSignatures,
    source: at < wire.keys.length ? 'transaction' : 'lookupTable',
    writable: at < wire.keys.length ? isWritable(wire, at) : at < wire.keys.length + writable.length,
  }));
}

function lookupsOf(wire: WireTransaction): object {
  if (wire.version === 'legacy') return {};
  return {
    addressTableLookups: wire.lookups.map(({ table, writable, readonly }) => ({
      accountKey: table,
      writableIndexes: writable,
      readonlyIndexes: readonly,
    })),
  };
}

export function encodeTransaction(
  wire: WireTransaction,
  accountKeys: readonly string[],
  encoding: TransactionEncoding,
): unknown {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), 'base64'];
    case 'base58':
      return [bs58.encode(wire.bytes), 'base58'];
    case 'binary':
      return bs58.encode(wire.bytes);
    case 'json':
    case 'jsonParsed':
      break;
  }
  const signatures = wire.signatures.map((signature) => bs58.encode(signature));
  const recentBlockhash = wire.blockhash;
  if (encoding === 'jsonParsed') {
    const instructions = wire.instructions.map((instruction) => parsed(instruction, accountKeys, 1));
    const keys = parsedKeys(wire, accountKeys);
    return {
      signatures,
      message: { accountKeys: keys, instructions, recentBlockhash, ...lookupsOf(wire) },
    };
  }
  return {
    signatures,
    message: {
      accountKeys: wire.keys,
      header: {
        numRequiredSignatures: wire.requiredSignatures,
        numReadonlySignedAccounts: wire.readonlySigned,
        numReadonlyUnsignedAccounts: wire.readonlyUnsigned,
      },
      instructions: wire.instructions.map((instruction) => compiled(instruction, 1)),
      recentBlockhash,
      ...lookupsOf(wire),
    },
  };
}

/** The keys of a transaction and its signatures, without its instructions: `transactionDetails: accounts`. */
export function encodeAccountList(wire: WireTransaction, accountKeys: readonly string[]): object {
  return {
    signatures: wire.signatures.map((signature) => bs58.encode(signature)),
    accountKeys: parsedKeys(wire, accountKeys),
  };
}

/** The engine's inner instructions; null when it reports none. */
export function encodeInner(
  inner: readonly (readonly InnerInstruction[])[] | null,
  accountKeys: readonly string[],
  isParsed: boolean,
): object[] | null {
  if (inner === null) return null;
  const encoded: object[] = [];
  for (const [index, list] of inner.entries()) {
    if (list.length === 0) continue;
    const instructions = list.map((instruction) =>
      isParsed
        ? parsed(instruction, accountKeys, instruction.stackHeight)
        : compiled(instruction, instruction.stackHeight),
    );
    encoded.push({ index, instructions });
  }
  return encoded;
}

/** The return data of a program; undefined for none. */
export function encodeReturnData(returned: Execution['returnData']): object | undefined {
  if (returned === null) return undefined;
  return { programId: returned.programId, data: [Buffer.from(returned.data).toString('base64'), 'base64'] };
}

export function encodeMeta(
  record: TransactionRecord,
  wire: WireTransaction,
  balances: Balances,
  isParsed: boolean,
) {
  const { execution, error, accountKeys } = record;
  const units = execution.unitsConsumed;
  return {
    err: error,
    status: statusOf(error),
    fee: record.feeLamports,
    ...balances,
    innerInstructions: encodeInner(execution.innerInstructions, accountKeys, isParsed),
    logMessages: execution.logs,
    rewards: [],
    ...(isParsed ? {} : { loadedAddresses: loadedOf(wire, accountKeys) }),
    returnData: encodeReturnData(execution.returnData),
    computeUnitsConsumed: units,
  };
}

export interface VersionRule {
  /** Undefined: legacy transactions only, and responses carry no version. */
  readonly max: number | undefined;
}

/** The version member of a response. Throws RpcError for a version that the client does not support. */
export function versionOf(wire: WireTransaction, { max }: VersionRule): { version?: 'legacy' | 0 } {
  if (max !== undefined) return { version: wire.version };
  if (wire.version === 'legacy') return {};
  throw new RpcError(
    RPC_CODES.unsupportedTransactionVersion,
    `Transaction version (${wire.version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${wire.version}`,
  );
}

/** The text of the memos in a transaction as clusters store it: `[length] text`, joined by `; `; null without memos. */
export function memoOf(record: TransactionRecord): string | null {
  const wire = parseTransaction(record.bytes);
  const memos: string[] = [];
  for (const { programIdIndex, data } of wire.instructions) {
    const known = parseInstruction({ programId: wire.keys[programIdIndex] ?? '', accounts: [], data });
    if (known?.program === 'spl-memo' && typeof known.parsed === 'string')
      memos.push(`[${data.length}] ${known.parsed}`);
  }
  return memos.length === 0 ? null : memos.join('; ');
}
