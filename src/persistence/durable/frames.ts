import { createHash } from 'node:crypto';
import { DataError } from './data-error.js';

/** The format version written and read. Raise it when the layout of data files changes; a test pins the layout. */
export const DATA_FORMAT = 1;

const MAGIC = 'agent-bank-sim data ';
const MARKER = Buffer.from('abs\u0001', 'latin1');
const DIGEST_BYTES = 16;
/** Marker, kind (1), number (6), length (4), digest. */
const HEAD_BYTES = MARKER.length + 11 + DIGEST_BYTES;

const KINDS = ['world', 'changes'] as const;

export interface Frame {
  /** A whole world, or the changes since the previous frame. */
  readonly kind: (typeof KINDS)[number];
  /** Consecutive over the life of a world, across all its files. */
  readonly number: number;
  readonly payload: Uint8Array;
}

/** The header of a file: a line with its format, a line of JSON. `seed` goes into the digest of each frame. */
export interface FileHead {
  readonly json: string;
  readonly bytes: Buffer;
  readonly seed: Buffer;
}

function headOf(bytes: Buffer, json: string): FileHead {
  return { json, bytes, seed: createHash('sha256').update(bytes).digest() };
}

/** The header of a new file. `json` is one line. */
export function newHead(json: string): FileHead {
  return headOf(Buffer.from(`${MAGIC}${DATA_FORMAT}\n${json}\n`, 'utf8'), json);
}

function digestOf(seed: Buffer, head: Uint8Array, payload: Uint8Array): Buffer {
  return createHash('sha256').update(seed).update(head).update(payload).digest().subarray(0, DIGEST_BYTES);
}

export function frameBytes({ seed }: FileHead, { kind, number, payload }: Frame): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  MARKER.copy(bytes);
  let at = bytes.writeUInt8(KINDS.indexOf(kind), MARKER.length);
  at = bytes.writeUIntBE(number, at, 6);
  at = bytes.writeUInt32BE(payload.length, at);
  digestOf(seed, bytes.subarray(MARKER.length, at), payload).copy(bytes, at);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** The frame at an offset; null when there is no whole frame of this file. */
function frameAt(file: Buffer, at: number, seed: Buffer): Frame | null {
  const headAt = at + MARKER.length;
  const bodyAt = at + HEAD_BYTES;
  const digestAt = bodyAt - DIGEST_BYTES;
  if (bodyAt > file.length || !file.subarray(at, headAt).equals(MARKER)) return null;
  const kind = KINDS[file.readUInt8(headAt)];
  const length = file.readUInt32BE(headAt + 7);
  if (kind === undefined || bodyAt + length > file.length) return null;
  const payload = file.subarray(bodyAt, bodyAt + length);
  const digest = digestOf(seed, file.subarray(headAt, digestAt), payload);
  if (!digest.equals(file.subarray(digestAt, bodyAt))) return null;
  return { kind, number: file.readUIntBE(headAt + 1, 6), payload };
}

/** Whether there is a whole frame of this file anywhere after an offset. */
function hasFrameAfter(file: Buffer, at: number, seed: Buffer): boolean {
  for (let next = file.indexOf(MARKER, at + 1); next >= 0; next = file.indexOf(MARKER, next + 1))
    if (frameAt(file, next, seed) !== null) return true;
  return false;
}

function damaged(where: string): DataError {
  return new DataError(
    'data_damaged',
    `the data is damaged ${where}; nothing was changed. Restore a copy of the folder, or start with an empty one.`,
  );
}

function readHead(file: Buffer): FileHead {
  if (file.subarray(0, MAGIC.length).toString('latin1') !== MAGIC)
    throw new DataError(
      'not_a_data_folder',
      'this is not a data file of agent-bank-sim; use an empty or a new folder',
    );
  const lineEnd = file.indexOf('\n');
  const text = lineEnd < 0 ? '' : file.subarray(MAGIC.length, lineEnd).toString('latin1');
  if (!/^[1-9]\d{0,5}$/.test(text)) throw damaged('in its first line');
  // An older format has another layout, which the second line says.
  if (Number(text) > DATA_FORMAT)
    throw new DataError(
      'data_of_another_version',
      `the data has format ${text}, and this agent-bank-sim reads ${DATA_FORMAT}: a newer version wrote it. Use that version, or a later one.`,
    );
  const end = file.indexOf('\n', lineEnd + 1);
  if (end < 0) throw damaged('in its second line');
  return headOf(file.subarray(0, end + 1), file.subarray(lineEnd + 1, end).toString('utf8'));
}

/**
 * Parses a file. An incomplete frame at the end, from a process killed while writing, is left out. An incomplete frame anywhere else is
 * damage, and so is a missing frame. Throws DataError.
 */
export function readFrames(file: Buffer) {
  const head = readHead(file);
  const frames: Frame[] = [];
  let at = head.bytes.length;
  while (at < file.length) {
    const frame = frameAt(file, at, head.seed);
    if (frame === null) break;
    const last = frames.at(-1);
    const isNext = last === undefined ? frame.kind === 'world' : frame.number === last.number + 1;
    if (!isNext) throw damaged(`at byte ${at}: a part is missing or misplaced`);
    frames.push(frame);
    at += HEAD_BYTES + frame.payload.length;
  }
  // A file is renamed into place with its first frame complete, so that one can never be torn.
  if (frames.length === 0 || hasFrameAfter(file, at, head.seed)) throw damaged(`at byte ${at}`);
  return {
    head,
    frames: frames as [Frame, ...Frame[]],
    /** Bytes up to the end of the last whole frame. */
    wholeBytes: at,
    /** Bytes after that, of an incomplete frame. */
    tornBytes: file.length - at,
  };
}

export type ReadFile = Readonly<ReturnType<typeof readFrames>>;
