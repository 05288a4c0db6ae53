import { deflateSync, inflateSync } from 'node:zlib';
import { z } from 'zod';
import type { JobOutcome } from '../job-runner.js';
import { QueueUnavailable } from './packages.js';

/** The largest value that is read from a queue's server, in bytes of JSON. */
const LARGEST_VALUE_BYTES = 256 * 1_024 * 1_024;

/** A value as compressed bytes: most words of a result repeat. */
export function packed(value: unknown): Buffer {
  return deflateSync(JSON.stringify(value), { level: 1 });
}

/** The value in bytes from `packed`. Throws QueueUnavailable for others, and for values above the limit. */
export function unpacked(bytes: Buffer, maxOutputLength = LARGEST_VALUE_BYTES): unknown {
  try {
    return JSON.parse(inflateSync(bytes, { maxOutputLength }).toString('utf8'));
  } catch (error) {
    throw new QueueUnavailable(`The queue contains an unreadable value: ${(error as Error).message}`);
  }
}

const OUTCOME = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), result: z.unknown().default(undefined) }),
  z.object({
    kind: z.literal('failed'),
    error: z.object({ name: z.string(), message: z.string(), stack: z.string() }),
  }),
  z.object({ kind: z.literal('crashed'), reason: z.string(), isLate: z.boolean().optional() }),
  z.object({ kind: z.literal('withdrawn') }),
]);

/** The outcome of a job in bytes from `packed`; `crashed` for everything else. */
export function outcomeIn(bytes: Buffer): JobOutcome {
  try {
    const parsed = OUTCOME.safeParse(unpacked(bytes));
    if (parsed.success) return parsed.data;
    throw new QueueUnavailable('it is not an outcome of a job');
  } catch (error) {
    return { kind: 'crashed', reason: `its result on the queue cannot be read: ${(error as Error).message}` };
  }
}
