import bs58 from 'bs58';
import { SecretKey } from './ed25519.js';
import { type UnreadableFile, readUserText } from './user-file.js';

/** A secret key as users supply it: base58, a JSON array of its bytes as text or as numbers, or the bytes themselves. */
export type SecretKeySource = string | Uint8Array | readonly number[];

const MAX_KEY_FILE_BYTES = 65_536;
const BYTES = 64;
const SEED_BYTES = 32;
const ALLOWED = 'a secret key is 64 bytes, as base58 or as a JSON array of 64 numbers';

// The input never appears in the message: it may be a secret with a typo.
function refused(reason: string): RangeError {
  return new RangeError(`${ALLOWED}; ${reason}`);
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

function isArrayText(text: string): boolean {
  return text.trimStart().startsWith('[');
}

function numbersIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function bytesOf(given: SecretKeySource): Uint8Array {
  if (given instanceof Uint8Array) return given;
  if (typeof given === 'string' && !isArrayText(given)) {
    const bytes = bs58.decodeUnsafe(given.trim());
    if (bytes === undefined) throw refused('this text is neither of them');
    return bytes;
  }
  const numbers = typeof given === 'string' ? numbersIn(given) : given;
  if (!Array.isArray(numbers)) throw refused('this array is not valid JSON');
  if (!numbers.every(isByte)) throw refused('this array has elements other than whole numbers from 0 to 255');
  return Uint8Array.from(numbers);
}

/**
 * The 64 bytes of a secret key, seed and public key, from any accepted form. Throws RangeError for anything else; the
 * message lists the accepted forms and contains no part of the key.
 */
export function secretKeyBytes(given: SecretKeySource): Uint8Array {
  const bytes = bytesOf(given);
  if (bytes.length !== BYTES) throw refused(`these are ${bytes.length}`);
  const { publicKey } = SecretKey.ofSeed(bytes.subarray(0, SEED_BYTES));
  if (!publicKey.every((byte, at) => byte === bytes[SEED_BYTES + at]))
    throw refused('the last 32 are not the public key of the first 32');
  return bytes;
}

/** Reads a secret key from a text file. Throws RangeError, also when the file is unreadable; only a readable file's path is in the message. */
export function secretKeyInFile(path: string): Uint8Array {
  let text: string;
  try {
    text = readUserText(path, MAX_KEY_FILE_BYTES);
  } catch (error) {
    const { reason = 'unknown' } = error as Partial<UnreadableFile>;
    throw refused(`this text is not a key, and as the path of a file it cannot be read (${reason})`);
  }
  try {
    return secretKeyBytes(text);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${path}: ${error.message}`) : error;
  }
}

/** Reads a secret key from its text, or from the file at that path. Throws RangeError. */
export function loadSecretKey(keyOrPath: string): Uint8Array {
  const isKey = isArrayText(keyOrPath) || bs58.decodeUnsafe(keyOrPath.trim())?.length === BYTES;
  return isKey ? secretKeyBytes(keyOrPath) : secretKeyInFile(keyOrPath);
}
