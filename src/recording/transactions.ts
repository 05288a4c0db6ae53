import type { Chain } from '../chain/chain.js';
import { nonceAccountOf } from '../chain/nonces.js';
import { verifySignature } from '../chain/signatures.js';
import { type TransactionSigner, type WireTransaction, parseTransaction } from '../chain/solana/wire.js';
import { bytesOf } from '../chain/solana/addresses.js';
import { parseInstruction } from '../api/rpc/parsed/instructions.js';
import { SIGNATURE_BYTES } from '../core/ed25519.js';
import { toJson } from '../core/exact-json.js';
import type { RecordedTransaction } from './schema.js';

const HASH_BYTES = 32;

/** The age of a transaction's blockhash in blocks; `nonce` for a current durable nonce, `old` for any other value. */
export function ageOf(wire: WireTransaction, chain: Chain): RecordedTransaction['blockhash'] {
  const { blockhash } = wire;
  const height = chain.heightOfBlockhash(blockhash);
  if (height === null) return chain.hasDurableNonce(wire) ? 'nonce' : 'old';
  return Math.max(0, chain.heightAt() - height);
}

function signedBy({ signatures, keys, message }: WireTransaction): RecordedTransaction['signed'] {
  return signatures.map((signature, at) => {
    if (signature.every((byte) => byte === 0)) return 'missing';
    return verifySignature(keys[at] as string, message, signature) ? 'right' : 'wrong';
  });
}

/** The instructions in the parsed form of Solana nodes. `type` is such as `transfer`, and null when one is not parsed. */
export function decodeInstructions({ instructions, keys }: WireTransaction) {
  return instructions.map(({ programIdIndex, accounts, data }) => {
    const programId = keys[programIdIndex] as string;
    const known = accounts.flatMap((at) => keys[at] ?? []);
    // Accounts in lookup tables are not known.
    const isWhole = known.length === accounts.length;
    const decoded = isWhole ? parseInstruction({ programId, accounts: known, data }) : null;
    const { type = null, info = {} } = (decoded?.parsed ?? {}) as {
      readonly type?: string;
      readonly info?: Readonly<Record<string, unknown>>;
    };
    return { programId, type, info };
  });
}

/** A transaction without its blockhash and its signatures; `nameOf` names the addresses in its instructions. */
export function recordedTransaction(
  wire: WireTransaction,
  blockhash: RecordedTransaction['blockhash'],
  nameOf: (address: string) => string,
): RecordedTransaction {
  const message = Buffer.from(wire.message);
  const hashAt = wire.blockhashOffset - (wire.bytes.length - wire.message.length);
  message.fill(0, hashAt, hashAt + HASH_BYTES);
  // Such as `transfer: source dev-0, destination wallet-1, lamports 5000`.
  const does = decodeInstructions(wire).map(({ programId, type, info }) => {
    const parts = Object.entries(info).map(
      ([name, value]) => `${name} ${typeof value === 'string' ? nameOf(value) : toJson(value)}`,
    );
    return type === null ? `a call of ${programId}` : `${type}: ${parts.join(', ')}`;
  });
  return { message: message.toString('base64'), blockhash, signed: signedBy(wire), does };
}

/** Parses a recorded transaction. Throws MalformedTransaction. */
export function wireOf(recorded: RecordedTransaction): WireTransaction {
  const message = Buffer.from(recorded.message, 'base64');
  const count = recorded.signed.length;
  return parseTransaction(
    Buffer.concat([Uint8Array.of(count), new Uint8Array(count * SIGNATURE_BYTES), message]),
  );
}

type BlockhashSource = Pick<Chain, 'heightAt' | 'blockhashAt' | 'durableNonce'>;

/** A blockhash that was never valid. */
const NEVER = '1'.repeat(31) + '2';

function currentHash(
  recorded: RecordedTransaction['blockhash'],
  wire: WireTransaction,
  chain: BlockhashSource,
): string {
  if (recorded === 'old') return NEVER;
  if (recorded === 'nonce') return chain.durableNonce(nonceAccountOf(wire) ?? '') ?? NEVER;
  return chain.blockhashAt(Math.max(0, chain.heightAt() - recorded));
}

/** Serializes a recorded transaction with a current blockhash and new signatures. Throws MalformedTransaction. */
export function signedAnew(
  recorded: RecordedTransaction,
  chain: BlockhashSource,
  signerOf: (address: string) => TransactionSigner,
): Uint8Array {
  const wire = wireOf(recorded);
  const hash = currentHash(recorded.blockhash, wire, chain);
  const bytes = Uint8Array.from(wire.bytes);
  bytes.set(bytesOf(hash), wire.blockhashOffset);
  const message = bytes.subarray(bytes.length - wire.message.length);
  for (const [at, how] of recorded.signed.entries()) {
    if (how === 'missing') continue;
    const signature = Uint8Array.from(signerOf(wire.keys[at] as string).sign(message));
    if (how === 'wrong') signature[0] = (signature[0] as number) ^ 0xff;
    bytes.set(signature, 1 + at * SIGNATURE_BYTES);
  }
  return bytes;
}
