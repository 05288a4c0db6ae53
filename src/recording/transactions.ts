import type { Chain } from '../chain/chain.js';
import { nonceAccountOf } from '../chain/nonces.js';
import { verifySignature } from '../chain/signatures.js';
import { type TransactionSigner, type WireTransaction, parseTransaction } from '../chain/solana/wire.js';
import { bytesOf } from '../chain/solana/addresses.js';
import { decodeInstructions, inWords } from './decoded-instruction.js';
import type { RecordedTransaction } from './schema.js';

const SIGNATURE_BYTES = 64;
const HASH_BYTES = 32;

/** The age of a transaction's blockhash in blocks; `nonce` for a current durable nonce, `old` for any other value. */
export function ageOf(wire: WireTransaction, chain: Chain): RecordedTransaction['blockhash'] {
  const { blockhash } = wire;
  const height = chain.heightOfBlockhash(blockhash);
  if (height === null) return chain.hasDurableNonce(wire) ? 'nonce' : 'old';
  return Math.max(0, chain.heightAt() - height);
}

export function signedBy(wire: WireTransaction): RecordedTransaction['signed'] {
  return wire.signatures.map((signature, at) => {
    if (signature.every((byte) => byte === 0)) return 'missing';
    return verifySignature(wire.keys[at] as string, wire.message, signature) ? 'right' : 'wrong';
  });
}

/** A transaction without its blockhash and its signatures; `nameOf` names the addresses in its instructions. */
export function recordedTransaction(
  wire: WireTransaction,
  known: Pick<RecordedTransaction, 'blockhash' | 'signed'>,
  nameOf: (address: string) => string,
): RecordedTransaction {
  const message = Buffer.from(wire.message);
  const hashAt = wire.blockhashOffset - (wire.bytes.length - wire.message.length);
  message.fill(0, hashAt, hashAt + HASH_BYTES);
  const does = inWords(decodeInstructions(wire), nameOf);
  return { message: message.toString('base64'), ...known, does };
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
