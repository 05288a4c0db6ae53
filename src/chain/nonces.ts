import { createHash } from 'node:crypto';
import { SYSTEM_PROGRAM, bytesOf } from './solana/addresses.js';
import { NONCE_BYTES, NONCE_VALUE_AT, readNonce } from './solana/accounts.js';
import { readLayout, u32 } from './solana/layout.js';
import type { Account } from './engine.js';
import { type WireTransaction, isWritable } from './solana/wire.js';

/** The system instruction AdvanceNonceAccount. Source: SystemInstruction of the Solana SDK. */
const ADVANCE = 4;

/** The value of a nonce after it was advanced in the slot of a blockhash. Source: DurableNonce of the Solana SDK. */
function durableNonce(blockhash: string): Uint8Array {
  return createHash('sha256').update('DURABLE_NONCE').update(bytesOf(blockhash)).digest();
}

/** The nonce in an account; null for any other account. */
function nonceOf(account: Account | null): ReturnType<typeof readNonce> {
  const isSized = account?.owner === SYSTEM_PROGRAM && account.data.length === NONCE_BYTES;
  return isSized ? readNonce(account.data) : null;
}

/** The current value of a nonce account, which replaces a blockhash; null for any other account. */
export function nonceIn(account: Account | null): string | null {
  return nonceOf(account)?.blockhash ?? null;
}

/** The nonce account that a transaction would use as its lifetime: its first instruction advances it. */
export function nonceAccountOf(wire: WireTransaction): string | null {
  const first = wire.instructions[0];
  if (first === undefined || wire.keys[first.programIdIndex] !== SYSTEM_PROGRAM) return null;
  const { data, accounts } = first;
  if (readLayout(u32, data) !== ADVANCE) return null;
  const at = accounts[0] ?? wire.keys.length;
  return at < wire.keys.length && isWritable(wire, at) ? (wire.keys[at] as string) : null;
}

/** Whether a transaction's blockhash is the value of the nonce that it advances, signed by the nonce's authority. */
export function hasDurableNonce(
  wire: WireTransaction,
  account: (address: string) => Account | null,
): boolean {
  const used = nonceAccountOf(wire);
  const nonce = used === null ? null : nonceOf(account(used));
  if (nonce?.blockhash !== wire.blockhash) return false;
  const signers = wire.instructions[0]?.accounts.filter((at) => at < wire.requiredSignatures) ?? [];
  return signers.some((at) => wire.keys[at] === nonce.authority);
}

/**
 * The accounts after a transaction, with the nonces that it has changed set to the value of the slot's blockhash:
 * engines derive them from their own blockhashes. `advanced` is the nonce that the transaction uses as its lifetime,
 * which advances even if it fails.
 */
export function withNonces(
  accounts: { readonly pre: readonly (Account | null)[]; readonly post: readonly (Account | null)[] },
  advanced: number | null,
  blockhash: string,
): readonly (Account | null)[] {
  const { pre, post } = accounts;
  const changed = (account: Account | null, at: number): account is Account => {
    const value = nonceIn(account);
    return value !== null && (at === advanced || nonceIn(pre[at] ?? null) !== value);
  };
  if (!post.some(changed)) return post;
  const value = durableNonce(blockhash);
  return post.map((account, at) => {
    if (!changed(account, at)) return account;
    const data = Uint8Array.from(account.data);
    data.set(value, NONCE_VALUE_AT);
    return { ...account, data };
  });
}
