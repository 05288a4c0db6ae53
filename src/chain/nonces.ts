import { createHash } from 'node:crypto';
import { SYSTEM_PROGRAM, addressOf, bytesOf } from './solana/addresses.js';
import type { Account } from './engine.js';
import { type WireTransaction, isWritable } from './solana/wire.js';

// The state of a nonce account: version, state, authority, nonce, lamports per signature. Source: nonce/state of the Solana SDK.
const STATE_BYTES = 80;
const STATE_OFFSET = 4;
const AUTHORITY_OFFSET = 8;
const NONCE_OFFSET = 40;
const INITIALIZED = 1;

/** The system instruction AdvanceNonceAccount. Source: SystemInstruction of the Solana SDK. */
const ADVANCE = 4;

/** The value that a nonce has after it was advanced in the slot of a blockhash. Source: DurableNonce of the Solana SDK. */
function durableNonce(blockhash: string): Uint8Array {
  return createHash('sha256').update('DURABLE_NONCE').update(bytesOf(blockhash)).digest();
}

function view({ data }: Account): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}

/** Whether an account holds an initialized nonce. */
function isNonce(account: Account | null): account is Account {
  return (
    account?.owner === SYSTEM_PROGRAM &&
    account.data.length === STATE_BYTES &&
    view(account).getUint32(STATE_OFFSET, true) === INITIALIZED
  );
}

function valueOf({ data }: Account): Uint8Array {
  return data.subarray(NONCE_OFFSET, NONCE_OFFSET + 32);
}

/** The current value of a nonce account, which stands for a blockhash; null for any other account. */
export function nonceIn(account: Account | null): string | null {
  return isNonce(account) ? addressOf(valueOf(account)) : null;
}

/** The nonce account that a transaction would use as its lifetime: its first instruction advances it. */
export function nonceAccountOf(wire: WireTransaction): string | null {
  const first = wire.instructions[0];
  if (first === undefined || wire.keys[first.programIdIndex] !== SYSTEM_PROGRAM) return null;
  const { data, accounts } = first;
  if (data.length < 4 || Buffer.from(data).readUInt32LE(0) !== ADVANCE) return null;
  const at = accounts[0] ?? wire.keys.length;
  return at < wire.keys.length && isWritable(wire, at) ? (wire.keys[at] as string) : null;
}

/** Whether a transaction's blockhash is the value of the nonce that it advances, signed by the nonce's authority. */
export function hasDurableNonce(
  wire: WireTransaction,
  account: (address: string) => Account | null,
): boolean {
  const address = nonceAccountOf(wire);
  const nonce = address === null ? null : account(address);
  if (!isNonce(nonce) || addressOf(valueOf(nonce)) !== wire.blockhash) return false;
  const authority = addressOf(nonce.data.subarray(AUTHORITY_OFFSET, AUTHORITY_OFFSET + 32));
  const signers = wire.instructions[0]?.accounts.filter((at) => at < wire.requiredSignatures) ?? [];
  return signers.some((at) => wire.keys[at] === authority);
}

/**
 * The accounts after a transaction, with the nonces that it has changed set to the value of the slot's blockhash: engines derive them from
 * blockhashes of their own. `advanced` is the nonce that the transaction uses as its lifetime, which advances even if it fails.
 */
export function withNonces(
  accounts: { readonly pre: readonly (Account | null)[]; readonly post: readonly (Account | null)[] },
  advanced: number | null,
  blockhash: string,
): readonly (Account | null)[] {
  const { pre, post } = accounts;
  const changed = (account: Account | null, at: number): account is Account => {
    if (!isNonce(account)) return false;
    const before = pre[at] ?? null;
    return at === advanced || !isNonce(before) || Buffer.compare(valueOf(before), valueOf(account)) !== 0;
  };
  if (!post.some(changed)) return post;
  const value = durableNonce(blockhash);
  return post.map((account, at) => {
    if (!changed(account, at)) return account;
    const data = Uint8Array.from(account.data);
    data.set(value, NONCE_OFFSET);
    return { ...account, data };
  });
}
