import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import { textOf } from './request-body.js';

const MIB = 1_024 * 1_024;

/** The largest text file, in bytes; a series of rates has about 40 bytes per line. */
export const MAX_TEXT_BYTES = 64 * MIB;

/** The largest machine-written file, such as a recording, in bytes: about the maximum of one string. */
export const MAX_LOG_BYTES = 511 * MIB;

const CHUNK_BYTES = MIB;
/** Node reads less than 2 GiB in one call. */
const MOST_AT_ONCE = 1_024 * MIB;

/** Paths that the process already has open, so that opening them does not wait: standard input, and `<(…)` of a shell. */
const OPEN_STREAM = /^\/(dev|proc\/self)\/(stdin|fd\/\d+)$/;

/** A file that cannot be read; `reason` begins with the code of the error. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';

  constructor(
    readonly path: string,
    readonly code: string,
    readonly reason = code,
  ) {
    super(`${path} cannot be read (${reason})`);
  }
}

/** The error for a file of more than `maxBytes`. */
export function tooLarge(path: string, maxBytes: number): UnreadableFile {
  return new UnreadableFile(path, 'EFBIG', `EFBIG: it has more than ${maxBytes} bytes`);
}

/** The bytes of a descriptor up to its end; null if there are more than `maxBytes`. */
function readToEnd(descriptor: number, { size, maxBytes }: { size: number; maxBytes: number }) {
  const chunks: Buffer[] = [];
  let total = 0;
  for (let room = size + 1; total <= maxBytes; room = CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(room, CHUNK_BYTES), MOST_AT_ONCE));
    const length = readSync(descriptor, chunk);
    if (length === 0) return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
    total += length;
  }
  return null;
}

function readOpen(path: string, descriptor: number, maxBytes: number): Buffer {
  const stat = fstatSync(descriptor);
  if (stat.isDirectory()) throw new UnreadableFile(path, 'EISDIR');
  const isStream = descriptor === 0 || OPEN_STREAM.test(path);
  if (!stat.isFile() && !(isStream && (stat.isFIFO() || stat.isSocket() || isatty(descriptor))))
    throw new UnreadableFile(path, 'EINVAL', 'EINVAL: it is not a regular file');
  const bytes = stat.size > maxBytes ? null : readToEnd(descriptor, { size: stat.size, maxBytes });
  if (bytes === null) throw tooLarge(path, maxBytes);
  return bytes;
}

/** The bytes of a user's regular file, open stream, or standard input (`-`), at most `maxBytes`. Throws UnreadableFile. */
export function readUserFile(path: string, maxBytes: number): Buffer {
  try {
    if (path === '-') return readOpen('standard input', 0, maxBytes);
    // A named pipe is not opened: that would wait for a writer.
    const canWait = statSync(path).isFIFO() && !OPEN_STREAM.test(path);
    if (canWait) throw new UnreadableFile(path, 'EINVAL', 'EINVAL: it is not a regular file');
    const descriptor = openSync(path, 'r');
    try {
      return readOpen(path, descriptor, maxBytes);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(path, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

/** The text of a user's file in UTF-8, without a leading byte order mark. Throws UnreadableFile. */
export function readUserText(path: string, maxBytes = MAX_TEXT_BYTES): string {
  return textOf(readUserFile(path, maxBytes));
}
