import type { Account } from '../../chain/engine.js';
import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import { isWritable, parseTransaction } from '../../chain/solana/wire.js';
import { isoOf } from '../../core/domain/calendar.js';
import { tokenUnits } from '../../core/domain/money.js';
import { plain } from '../../runtime/events/event.js';
import { type TokenBalance, tokenBalance } from '../../chain/solana/token-accounts.js';
import { type Decimals, type ReadAccount, decimalsIn } from '../rpc/encoding/account.js';
import { encodeInner, encodeTransaction, memoOf } from '../rpc/encoding/transaction.js';
import { parseAccount } from '../rpc/parsed/accounts.js';

/** The bytes of an account's data that its view has in base64. */
const SHOWN_BYTES = 4_096;

export function transactionRow(record: TransactionRecord) {
  const { signature, slot, blockTimeSeconds, error, feeLamports, accountKeys, requiredSignatures } = record;
  return {
    signature,
    slot,
    at: isoOf(blockTimeSeconds * 1_000),
    /** Solana's error; null for a transaction that succeeded. */
    error: error as unknown,
    /** SOL. */
    fee: tokenUnits('SOL', feeLamports),
    signers: accountKeys.slice(0, requiredSignatures),
    memo: memoOf(record),
  };
}

/** A transaction with its instructions, logs, and balances before and after. */
export async function transactionDetails(record: TransactionRecord, read: ReadAccount) {
  const { accountKeys, execution, touched } = record;
  const wire = parseTransaction(record.bytes);
  const { message } = encodeTransaction(wire, accountKeys, 'jsonParsed') as {
    message: { instructions: unknown[]; accountKeys: { writable: boolean }[] };
  };
  const inner = encodeInner(execution.innerInstructions, accountKeys, true);
  const changes = new Map(touched.map((change) => [change.address, change]));
  const decimalsOf = await decimalsIn(
    touched.flatMap(({ pre, post }) => [pre, post]),
    read,
  );
  const accounts = accountKeys.map((address, at) => {
    const { pre = null, post = null }: Partial<TouchedAccount> = changes.get(address) ?? {};
    return {
      address,
      signer: at < record.requiredSignatures,
      writable: message.accountKeys[at]?.writable ?? isWritable(wire, at),
      /** Of writable accounts only; no other account changes. */
      before: holdingOf(pre, decimalsOf),
      after: holdingOf(post, decimalsOf),
    };
  });
  return {
    ...transactionRow(record),
    version: wire.version,
    blockhash: wire.blockhash,
    /** The instructions as `jsonParsed` of the RPC has them: parsed when the program is known. */
    instructions: plain(message.instructions) as unknown[],
    /** The instructions that programs invoked, by instruction; null when the engine does not report them. */
    innerInstructions: plain(inner) as unknown[] | null,
    logs: execution.logs,
    computeUnits: Number(execution.unitsConsumed),
    accounts,
  };
}

function holdingOf(account: Account | null, decimalsOf: Decimals) {
  if (account === null) return null;
  const tokens = tokenBalance(account);
  return {
    SOL: tokenUnits('SOL', account.lamports),
    tokens: tokens === null ? null : tokensView(tokens, decimalsOf(tokens.mint)),
  };
}

function tokensView({ mint, owner, amountBase }: TokenBalance, decimals: number | null) {
  return {
    mint,
    owner,
    /** Token units; base units when the mint is unknown. */
    amount: Number(`${amountBase}e-${decimals ?? 0}`),
  };
}

/** An account with its data parsed when its program is known. */
export async function accountDetails(address: string, account: Account, read: ReadAccount) {
  const { lamports, owner, executable, data } = account;
  const decimalsOf = await decimalsIn([account], read);
  const parsed = parseAccount({ data, owner }, { decimalsOf });
  return {
    address,
    SOL: tokenUnits('SOL', lamports),
    owner,
    executable,
    bytes: data.length,
    /** The data as `jsonParsed` of the RPC has it; null when its program is unknown. */
    data: plain(parsed),
    /** The first 4,096 bytes of the data. */
    base64: Buffer.from(data.subarray(0, SHOWN_BYTES)).toString('base64'),
  };
}

/**
 * A transaction in a list.
 * @interface
 */
export type TransactionRow = Readonly<ReturnType<typeof transactionRow>>;

/**
 * A transaction with its instructions, logs and balances.
 * @interface
 */
export type TransactionDetails = Readonly<Awaited<ReturnType<typeof transactionDetails>>>;

/**
 * The owner, mint and amount of a token account.
 * @interface
 */
export type TokensView = Readonly<ReturnType<typeof tokensView>>;

/**
 * An account's balance.
 * @interface
 */
export type HoldingView = Readonly<NonNullable<ReturnType<typeof holdingOf>>>;

/**
 * An account with its data.
 * @interface
 */
export type AccountDetails = Readonly<Awaited<ReturnType<typeof accountDetails>>>;
