import { loadSecretKey } from '../core/secret-key.js';
import { UsageError } from './usage.js';

/** Parses a secret key option: base58, a JSON array of 64 numbers, or a file with either. Throws UsageError. */
export function keyOption(option: string, given: string): Uint8Array {
  try {
    return loadSecretKey(given);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${option}: ${error.message}`);
    throw error;
  }
}
