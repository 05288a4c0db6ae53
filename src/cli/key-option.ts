import { isAddress } from '../core/domain/inputs.js';
import { loadSecretKey } from '../core/secret-key.js';
import { keyPairOf } from '../world/keys.js';
import { reading } from './usage.js';

/** Parses a secret key option: base58, a JSON array of 64 numbers, or a file with either. Throws UsageError. */
export function keyOption(option: string, text: string): Uint8Array {
  return reading(`${option}: `, () => loadSecretKey(text));
}

/** Parses an address or the path of a keypair file to an address. Throws UsageError. */
export function addressArgument(option: string, text: string): string {
  return isAddress(text) ? text : keyPairOf([...keyOption(option, text)]).address;
}
