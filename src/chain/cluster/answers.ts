import { z } from 'zod';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../solana/addresses.js';
import type { Account, TransactionError } from '../engine.js';
import type { TouchedAccount, TransactionRecord } from '../history.js';
import { tokenAccount } from '../solana/token-accounts.js';
import { type WireTransaction, isWritable, parseTransaction } from '../solana/wire.js';

/** A non-negative integer; large ones are strings, see `parseExactJson`. */
const whole = z
  .union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)])
  .transform((value) => BigInt(value));

const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

const base64 = z
  .tuple([z.string(), z.literal('base64')])
  .transform(([text]) => new Uint8Array(Buffer.from(text, 'base64')));

const account = z
  .object({ lamports: whole, owner: z.string(), data: base64, executable: z.boolean() })
  .transform(({ lamports, owner, data, executable }): Account => ({ lamports, owner, data, executable }));

const context = z.object({ slot: z.number() });

/** Response of getMultipleAccounts. */
export const accountsResponse = z.object({ context, value: z.array(account.nullable()) });

/** Response of getLatestBlockhash. */
export const blockhashAnswer = z.object({
  value: z.object({ blockhash: z.string(), lastValidBlockHeight: z.number() }),
});

/** Response of getEpochInfo. */
export const epochAnswer = z.object({ absoluteSlot: z.number(), blockHeight: z.number() });

/** Response of getSignatureStatuses. */
export const statusesAnswer = z.object({
  context,
  value: z.array(
    z
      .object({
        confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
        err: transactionError.optional(),
      })
      .nullable(),
  ),
});

/** Response of getSignaturesForAddress, newest first. */
export const signaturesResponse = z.array(
  z.object({ signature: z.string(), slot: z.number(), blockTime: z.number().nullish() }),
);

/** An element of a getSignaturesForAddress response. */
export type ListedSignature = z.infer<typeof signaturesResponse>[number];

const tokenBalance = z.object({
  accountIndex: z.number().int(),
  mint: z.string(),
  owner: z.string().optional(),
  programId: z.string().optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});

/** Response of getTransaction in base64. */
export const transactionResponse = z
  .object({
    slot: z.number(),
    blockTime: z.number().nullish(),
    transaction: base64,
    meta: z.object({
      err: transactionError,
      fee: whole,
      preBalances: z.array(whole),
      postBalances: z.array(whole),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
      logMessages: z.array(z.string()).nullish(),
      computeUnitsConsumed: whole.nullish(),
      loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
    }),
  })
  .nullable();

type Answered = NonNullable<z.infer<typeof transactionResponse>>;
type TokenBalance = z.infer<typeof tokenBalance>;

/** The error and logs in the data of a failed preflight; null when it has no error. */
export function preflightError(data: unknown): { error: TransactionError; logs: readonly string[] } | null {
  const parsed = z.object({ err: transactionError, logs: z.array(z.string()).nullish() }).safeParse(data);
  if (!parsed.success || parsed.data.err === null) return null;
  return { error: parsed.data.err, logs: parsed.data.logs ?? [] };
}

/** An account reconstructed from balances: lamports, and the tokens of an SPL token account. The rest is unknown. */
function balancesOf(lamports: bigint, tokens: TokenBalance | undefined): Account | null {
  if (lamports === 0n) return null;
  const program = tokens?.programId ?? TOKEN_PROGRAM;
  if (tokens?.owner !== undefined && program === TOKEN_PROGRAM) {
    return { ...tokenAccount(tokens.mint, tokens.owner, BigInt(tokens.uiTokenAmount.amount)), lamports };
  }
  return { lamports, data: new Uint8Array(0), owner: SYSTEM_PROGRAM, executable: false };
}

function touchedBy(wire: WireTransaction, keys: readonly string[], { meta }: Answered): TouchedAccount[] {
  const byIndex = (balances: readonly TokenBalance[] | null | undefined) =>
    new Map((balances ?? []).map((balance) => [balance.accountIndex, balance]));
  const [pre, post] = [byIndex(meta.preTokenBalances), byIndex(meta.postTokenBalances)];
  const lastLoaded = wire.keys.length + (meta.loadedAddresses?.writable.length ?? 0);
  const touched: TouchedAccount[] = [];
  for (const [at, address] of keys.entries()) {
    if (at < wire.keys.length ? !isWritable(wire, at) : at >= lastLoaded) continue;
    touched.push({
      address,
      pre: balancesOf(meta.preBalances[at] ?? 0n, pre.get(at)),
      post: balancesOf(meta.postBalances[at] ?? 0n, post.get(at)),
    });
  }
  return touched;
}

/** Converts a node's transaction to a record of an embedded chain. Throws MalformedTransaction. */
export function recordOf(answered: Answered): TransactionRecord {
  const { slot, blockTime, transaction, meta } = answered;
  const wire = parseTransaction(transaction);
  const { writable, readonly } = meta.loadedAddresses ?? { writable: [], readonly: [] };
  const accountKeys = [...wire.keys, ...writable, ...readonly];
  return {
    kind: 'transaction',
    signature: wire.signature,
    bytes: wire.bytes,
    requiredSignatures: wire.requiredSignatures,
    accountKeys,
    slot,
    blockTimeSeconds: blockTime ?? 0,
    error: meta.err,
    feeLamports: meta.fee,
    execution: {
      executed: true,
      error: meta.err,
      logs: meta.logMessages ?? [],
      unitsConsumed: meta.computeUnitsConsumed ?? 0n,
      returnData: null,
      innerInstructions: null,
    },
    touched: touchedBy(wire, accountKeys, answered),
  };
}
