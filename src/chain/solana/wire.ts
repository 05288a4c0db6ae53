import bs58 from 'bs58';
import { bytesOf } from './addresses.js';
import {
  ByteReader,
  InvalidBytes,
  type Layout,
  address as addressLayout,
  compactU16,
  list,
  struct,
  u8,
} from './layout.js';

/** The largest transaction that a cluster accepts: one IPv6 packet minus its headers. Engines do not check it. */
export const MAX_TRANSACTION_BYTES = 1_232;

const BLOCKHASH_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A compiled instruction: indices into the keys of its transaction. */
export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** A reference of a v0 message to an address lookup table. */
export interface TableLookup {
  readonly table: string;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

/** A parsed transaction; every index in it is within bounds, except those into lookup tables. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  /** base58 of the first signature, which identifies the transaction. */
  readonly signature: string;
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** Static keys; keys of lookup tables follow them in the index space. */
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
}

const CUT_SHORT = 'io error: failed to fill whole buffer';

/** Why bytes are not a transaction. */
export class MalformedTransaction extends Error {
  override readonly name = 'MalformedTransaction';

  constructor(
    message: string,
    /** A cluster's message for unreadable bytes; null for readable bytes that are not a transaction. */
    readonly unreadable: string | null = null,
  ) {
    super(message);
  }
}

const indexList: Layout<number[]> = (reader) => [...reader.take(compactU16(reader))];

const instructionLayout: Layout<WireInstruction> = struct({
  programIdIndex: u8,
  accounts: indexList,
  data: (reader: ByteReader) => reader.take(compactU16(reader)),
});

const lookupLayout: Layout<TableLookup> = struct({
  table: addressLayout,
  writable: indexList,
  readonly: indexList,
});

/** Parses a serialized transaction and checks its bounds. Throws MalformedTransaction. */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new MalformedTransaction(
      `the transaction has ${bytes.length} bytes; at most ${MAX_TRANSACTION_BYTES} are allowed`,
    );
  }
  const reader = new ByteReader(bytes);
  try {
    const parsed = readTransaction(reader);
    if (reader.remaining > 0) throw new MalformedTransaction('bytes follow the end of the transaction');
    checkBounds(parsed);
    return parsed;
  } catch (error) {
    if (!(error instanceof InvalidBytes)) throw error;
    if (error.isCutShort) throw new MalformedTransaction('the transaction is cut short', CUT_SHORT);
    throw new MalformedTransaction(error.message);
  }
}

function readTransaction(reader: ByteReader): WireTransaction {
  const { bytes } = reader;
  const signatures = list((each) => each.take(SIGNATURE_BYTES), compactU16)(reader);
  const message = bytes.subarray(reader.at);
  const first = u8(reader);
  const version: 'legacy' | 0 | null = (first & 0x80) === 0 ? 'legacy' : (first & 0x7f) === 0 ? 0 : null;
  if (version === null)
    throw new MalformedTransaction(
      `message version ${first & 0x7f} is not supported`,
      `invalid value: integer \`${first & 0x7f}\`, expected a valid transaction message version`,
    );
  return {
    bytes,
    signature: signatures[0] === undefined ? '' : bs58.encode(signatures[0]),
    signatures,
    message,
    version,
    requiredSignatures: version === 'legacy' ? first : u8(reader),
    readonlySigned: u8(reader),
    readonlyUnsigned: u8(reader),
    keys: list(addressLayout, compactU16)(reader),
    blockhashOffset: reader.at,
    blockhash: addressLayout(reader),
    instructions: list(instructionLayout, compactU16)(reader),
    lookups: version === 'legacy' ? [] : list(lookupLayout, compactU16)(reader),
  };
}

function checkBounds(wire: WireTransaction): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys, signatures } = wire;
  const bad = (reason: string) => new MalformedTransaction(reason);
  if (requiredSignatures === 0 || signatures.length !== requiredSignatures) {
    throw bad(`${requiredSignatures} signatures are required, ${signatures.length} are there`);
  }
  if (readonlySigned >= requiredSignatures) throw bad('the fee payer must be writable');
  if (requiredSignatures + readonlyUnsigned > keys.length)
    throw bad('the header names more keys than there are');
  if (new Set(keys).size !== keys.length) throw bad('a key occurs twice');
  let loaded = 0;
  for (const { writable, readonly } of wire.lookups) loaded += writable.length + readonly.length;
  const total = keys.length + loaded;
  if (total > 256) throw bad('more than 256 accounts are named');
  for (const { programIdIndex, accounts } of wire.instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys.length) throw bad('an instruction names no program');
    if (accounts.some((index) => index >= total)) throw bad('an instruction names a missing account');
  }
}

/** Whether the static key at `index` is writable. */
export function isWritable(wire: WireTransaction, index: number): boolean {
  return index < wire.requiredSignatures
    ? index < wire.requiredSignatures - wire.readonlySigned
    : index < wire.keys.length - wire.readonlyUnsigned;
}

export interface AccountMeta {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
}

/** An instruction before it is compiled. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
}

export interface TransactionSigner {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

/** A role as two bits: 2 for a key that does not sign, 1 for one that is read-only. `&` of all roles of a key is its role. */
function roleOf({ signer, writable }: Pick<AccountMeta, 'signer' | 'writable'>): number {
  return (signer ? 0 : 2) + (writable ? 0 : 1);
}

/** The role of a program: it does not sign and is read-only. */
const PROGRAM = 3;

/** The keys of a message by role, in the order that its header requires: writable signers with the payer first, … read-only last. */
function keysByRole(
  instructions: readonly Instruction[],
  payer: string,
): [string[], string[], string[], string[]] {
  const roles = new Map([[payer, 0]]);
  for (const { program, accounts } of instructions) {
    for (const meta of accounts) roles.set(meta.address, (roles.get(meta.address) ?? PROGRAM) & roleOf(meta));
    if (!roles.has(program)) roles.set(program, PROGRAM);
  }
  const keys: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const [address, role] of roles) (keys[role] as string[]).push(address);
  return keys;
}

/**
 * Compiles and signs a legacy transaction. The first signer pays. At most 127 keys, and 127 accounts and bytes of data per instruction.
 * Throws RangeError for more, Error when a required signer is missing.
 */
export function compileTransaction(
  instructions: readonly Instruction[],
  signers: readonly TransactionSigner[],
  blockhash: string,
): WireTransaction {
  const payer = signers[0];
  if (payer === undefined) throw new Error('a transaction needs a signer');
  const byRole = keysByRole(instructions, payer.address);
  const keys = byRole.flat();
  const readonlySigned = byRole[1].length;
  const requiredSignatures = byRole[0].length + readonlySigned;
  const readonlyUnsigned = byRole[3].length;
  let size = 3 + 1 + 32 * keys.length + 32 + 1;
  for (const { accounts, data } of instructions) {
    if (keys.length > 127 || accounts.length > 127 || data.length > 127)
      throw new RangeError('the transaction is too large');
    size += 3 + accounts.length + data.length;
  }
  const from = 1 + requiredSignatures * SIGNATURE_BYTES;
  const bytes = new Uint8Array(from + size);
  bytes[0] = requiredSignatures;
  bytes.set([requiredSignatures, readonlySigned, readonlyUnsigned, keys.length], from);
  let at = from + 4;
  for (const key of keys) {
    bytes.set(bytesOf(key), at);
    at += 32;
  }
  const blockhashOffset = at;
  bytes.set(bytesOf(blockhash), at);
  at += BLOCKHASH_BYTES;
  bytes[at] = instructions.length;
  at += 1;
  const compiled = instructions.map(({ program, accounts, data }) => {
    const programIdIndex = keys.indexOf(program);
    const indices = accounts.map(({ address }) => keys.indexOf(address));
    bytes.set([programIdIndex, indices.length, ...indices, data.length], at);
    bytes.set(data, at + 3 + indices.length);
    at += 3 + indices.length + data.length;
    return { programIdIndex, accounts: indices, data };
  });
  const message = bytes.subarray(from);
  const signatures = sign(bytes, message, keys.slice(0, requiredSignatures), signers);
  return {
    bytes,
    signature: bs58.encode(signatures[0] as Uint8Array),
    signatures,
    message,
    version: 'legacy',
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    keys,
    blockhash,
    blockhashOffset,
    instructions: compiled,
    lookups: [],
  };
}

function sign(
  bytes: Uint8Array,
  message: Uint8Array,
  required: readonly string[],
  signers: readonly TransactionSigner[],
): Uint8Array[] {
  return required.map((address, at) => {
    const signer = signers.find((candidate) => candidate.address === address);
    if (signer === undefined) throw new Error(`the signature of ${address} is missing`);
    const offset = 1 + at * SIGNATURE_BYTES;
    bytes.set(signer.sign(message), offset);
    return bytes.subarray(offset, offset + SIGNATURE_BYTES);
  });
}

/** The bytes of a compiled and signed legacy transaction; see `compileTransaction`. */
export function buildTransaction(
  instructions: readonly Instruction[],
  signers: readonly TransactionSigner[],
  blockhash: string,
): Uint8Array {
  return compileTransaction(instructions, signers, blockhash).bytes;
}
