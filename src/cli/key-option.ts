import { loadSecretKey } from '../core/secret-key.js';
import { reading } from './usage.js';

/** Parses a secret key option: base58, a JSON array of 64 numbers, or a file with either. Throws UsageError. */
export function keyOption(option: string, text: string): Uint8Array {
  return reading(`${option}: `, () => loadSecretKey(text));
}
