import { deflateSync, inflateSync } from 'node:zlib';
import { QueueUnavailable } from './packages.js';

/** The largest value that is read from the server of a queue, in bytes of JSON. */
const LARGEST_VALUE_BYTES = 256 * 1_024 * 1_024;

/** A value as bytes. Most of a result are words that repeat. */
export function packed(value: unknown): Buffer {
  return deflateSync(JSON.stringify(value), { level: 1 });
}

/** The value in bytes that `packed` has made. Throws QueueUnavailable for others, and for values above the limit. */
export function unpacked(bytes: Buffer, maxOutputLength = LARGEST_VALUE_BYTES): unknown {
  try {
    return JSON.parse(inflateSync(bytes, { maxOutputLength }).toString('utf8'));
  } catch (error) {
    throw new QueueUnavailable(`The queue has a value that cannot be read: ${(error as Error).message}`);
  }
}
