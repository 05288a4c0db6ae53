import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { storedConfig } from '../../runtime/config.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import { decoded, encoded } from './codec.js';
import { StateError, inconsistent } from './state-error.js';
import { world } from './world.js';
import { issueText } from '../../core/json.js';

/** The format version written and read. Raise it when the layout of states changes; a test pins the layout. */
export const STATE_FORMAT = 1;

/** Digest of the layout of a world: a build with another layout cannot read it. */
export const STATE_LAYOUT = createHash('sha256').update(world.layout).digest('hex').slice(0, 16);

const deflateLater = promisify<Uint8Array, Buffer>(deflateRaw);

const MAGIC = 'agent-bank-sim state ';
const CHECKSUM_BYTES = 32;
const LINE_END = 0x0a;
/** The longest seed in characters; a random seed of secrets has 64. */
const LONGEST_SEED = 1_024;
const SMALLEST_CHUNK = 1_024;
const LARGEST_CHUNK = 64 * 1_024 * 1_024;

/**
 * The size in bytes up to which a world may have any compression ratio; above it the next constant limits the ratio, since the world is
 * read into memory.
 */
const ANY_FACTOR_BYTES = 64 * 1_024 * 1_024;
const LARGEST_FACTOR = 300;

function isTooDense(plainBytes: number, bytes: number): boolean {
  return plainBytes > ANY_FACTOR_BYTES && plainBytes > LARGEST_FACTOR * bytes;
}

/** A compressed world, or an uncompressed one when its ratio would be too high to be read. */
function packed(plain: Uint8Array, compressed: Buffer): Buffer {
  return isTooDense(plain.length, compressed.length) ? deflateRawSync(plain, { level: 0 }) : compressed;
}

/**
 * The configuration that holds for the whole life of a world. Sources of rates and the time mode are part of the snapshot.
 * @interface
 */
export type StateConfig = Readonly<z.output<typeof storedConfig>>;

export interface PortableState {
  readonly config: StateConfig;
  readonly snapshot: WorldSnapshot;
  /** The origin of token and receipt secrets; null when it is the seed, or when the state was exported without keys. */
  readonly secretSeed: string | null;
}

const readHeader = z.strictObject({
  config: storedConfig,
  layout: z.string(),
  secretSeed: z.string().max(LONGEST_SEED).nullable(),
  worldBytes: z.int().min(0),
});
type Header = z.output<typeof readHeader>;

function digest(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function plainState({ config, snapshot, secretSeed }: PortableState): { head: Buffer; plain: Buffer } {
  const plain = encoded(world, snapshot);
  const header: Header = { config, layout: STATE_LAYOUT, secretSeed, worldBytes: plain.length };
  return { head: Buffer.from(`${MAGIC}${STATE_FORMAT}\n${canonicalize(header)}\n`, 'utf8'), plain };
}

/** Encodes a state file: a line with the format, a line of JSON, the compressed world, and a checksum of it all. */
export function writeState(state: PortableState): Uint8Array {
  const { head, plain } = plainState(state);
  const body = packed(plain, deflateRawSync(plain));
  return Buffer.concat([head, body, digest(head, body)]);
}

/** `writeState` with compression on another thread. */
export async function writeStateLater(state: PortableState): Promise<Uint8Array> {
  const { head, plain } = plainState(state);
  const body = packed(plain, await deflateLater(plain));
  return Buffer.concat([head, body, digest(head, body)]);
}

function damaged(): StateError {
  return new StateError(
    'state_damaged',
    'The state is damaged: its checksum does not match its contents. Use another copy.',
  );
}

function otherVersion(text: string): StateError {
  return new StateError('state_of_another_version', text);
}

/** Whether bytes start like a state file, of any version. */
export function isState(bytes: Buffer): boolean {
  return bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
}

/** Throws StateError unless the bytes start like a state file of this format; returns the offset after that line. */
function checkFormat(state: Buffer): number {
  if (!isState(state))
    throw new StateError(
      'not_a_state',
      'This is not an agent-bank-sim state file. Create one with sim state export FILE.',
    );
  const end = state.indexOf(LINE_END);
  const format = /^[1-9]\d{0,5}$/.exec(
    state.subarray(MAGIC.length, end < 0 ? 0 : end).toString('latin1'),
  )?.[0];
  if (format === undefined) throw damaged();
  // An older format has another layout, which the header says.
  if (Number(format) > STATE_FORMAT)
    throw otherVersion(
      `The state has format ${format}, and this agent-bank-sim reads ${STATE_FORMAT}: a newer version wrote it. Use that version, or a later one.`,
    );
  return end + 1;
}

/** The JSON header; the checksum has been verified. */
function headerOf(state: Buffer, from: number): { header: Header; bodyAt: number } {
  const end = state.indexOf(LINE_END, from);
  const parsed = JSON.parse(state.subarray(from, end).toString('utf8')) as Partial<Header> | null;
  const layout = parsed?.layout;
  if (typeof layout === 'string' && layout !== STATE_LAYOUT)
    throw otherVersion(
      'The state was written by another version of agent-bank-sim, whose layout differs. Use that version.',
    );
  const read = readHeader.safeParse(parsed);
  if (read.success) return { header: read.data, bodyAt: end + 1 };
  throw new RangeError(issueText(read.error, 'header'));
}

// Inflate into one chunk, since the size is known: several would have to be concatenated.
function inflated(body: Uint8Array, bytes: number): Buffer {
  if (isTooDense(bytes, body.length)) throw new RangeError(`${bytes} bytes of world in ${body.length}`);
  const chunkSize = Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, bytes + 1));
  return inflateRawSync(body, { maxOutputLength: bytes, chunkSize });
}

/** Decodes the output of `writeState`. Throws StateError for other files, damage, and other versions. */
export function readState(bytes: Uint8Array): PortableState {
  const state = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerAt = checkFormat(state);
  const bodyEnd = state.length - CHECKSUM_BYTES;
  if (bodyEnd < headerAt || !digest(state.subarray(0, bodyEnd)).equals(state.subarray(bodyEnd)))
    throw damaged();
  try {
    const { header, bodyAt } = headerOf(state, headerAt);
    const { config, secretSeed, worldBytes } = header;
    const snapshot = decoded(world, inflated(state.subarray(bodyAt, bodyEnd), worldBytes));
    return { config, snapshot, secretSeed };
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw inconsistent((error as Error).message);
  }
}

export function checksumOf(state: Uint8Array): string {
  return Buffer.from(state.subarray(-CHECKSUM_BYTES)).toString('hex');
}
