import bs58 from 'bs58';
import { addressOf, bytesOf } from './addresses.js';

/** The largest transaction a cluster takes: one IPv6 packet less its headers. Engines do not check it. */
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

/** A transaction taken apart; every index in it is within bounds, but for those into lookup tables. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  /** base58 of the first signature: the transaction's name. */
  readonly signature: string;
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
  readonly version: 'legacy' | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** Static keys; those of lookup tables come after them in indices. */
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly TableLookup[];
}

/** Why bytes are not a transaction. */
export class MalformedTransaction extends Error {}

class Reader {
  at = 0;
  constructor(readonly bytes: Uint8Array) {}

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new MalformedTransaction('the transaction is cut short');
    this.at += 1;
    return value;
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new MalformedTransaction('the transaction is cut short');
    const part = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return part;
  }

  /** Solana's compact-u16: seven bits a byte, at most three bytes, no needless ones. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) {
        if ((byte === 0 && shift > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new MalformedTransaction('a length is not a compact-u16');
  }

  indices(): number[] {
    return [...this.take(this.length())];
  }
}

/** Takes a serialized transaction apart and checks its bounds. Throws MalformedTransaction. */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new MalformedTransaction(
      `the transaction has ${bytes.length} bytes; at most ${MAX_TRANSACTION_BYTES} are allowed`,
    );
  }
  const reader = new Reader(bytes);
  const signatures = Array.from({ length: reader.length() }, () => reader.take(SIGNATURE_BYTES));
  const message = bytes.subarray(reader.at);
  const first = reader.byte();
  const version: 'legacy' | 0 | null = (first & 0x80) === 0 ? 'legacy' : (first & 0x7f) === 0 ? 0 : null;
  if (version === null) throw new MalformedTransaction(`message version ${first & 0x7f} is not supported`);
  const requiredSignatures = version === 'legacy' ? first : reader.byte();
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const keys = Array.from({ length: reader.length() }, () => addressOf(reader.take(32)));
  const blockhashOffset = reader.at;
  const blockhash = addressOf(reader.take(BLOCKHASH_BYTES));
  const instructions = Array.from({ length: reader.length() }, () => ({
    programIdIndex: reader.byte(),
    accounts: reader.indices(),
    data: reader.take(reader.length()),
  }));
  const lookups =
    version === 'legacy'
      ? []
      : Array.from({ length: reader.length() }, () => ({
          table: addressOf(reader.take(32)),
          writable: reader.indices(),
          readonly: reader.indices(),
        }));
  if (reader.at !== bytes.length) throw new MalformedTransaction('bytes follow the end of the transaction');
  const wire = { bytes, signatures, message, version, requiredSignatures, readonlySigned, readonlyUnsigned };
  const parsed = { ...wire, keys, blockhash, blockhashOffset, instructions, lookups };
  checkBounds(parsed);
  return { ...parsed, signature: bs58.encode(signatures[0] as Uint8Array) };
}

function checkBounds(wire: Omit<WireTransaction, 'signature'>): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned, keys, signatures } = wire;
  const bad = (reason: string) => new MalformedTransaction(reason);
  if (requiredSignatures === 0 || signatures.length !== requiredSignatures) {
    throw bad(`${requiredSignatures} signatures are required, ${signatures.length} are there`);
  }
  if (readonlySigned >= requiredSignatures) throw bad('the fee payer must be writable');
  if (requiredSignatures + readonlyUnsigned > keys.length)
    throw bad('the header names more keys than there are');
  if (new Set(keys).size !== keys.length) throw bad('a key is named twice');
  let loaded = 0;
  for (const { writable, readonly } of wire.lookups) loaded += writable.length + readonly.length;
  const total = keys.length + loaded;
  if (total > 256) throw bad('more than 256 accounts are named');
  for (const { programIdIndex, accounts } of wire.instructions) {
    if (programIdIndex === 0 || programIdIndex >= keys.length) throw bad('an instruction names no program');
    if (accounts.some((index) => index >= total))
      throw bad('an instruction names an account that is not there');
  }
}

/** Whether the static key at `index` may be written. */
export function isWritable(wire: WireTransaction, index: number): boolean {
  return index < wire.requiredSignatures
    ? index < wire.requiredSignatures - wire.readonlySigned
    : index < wire.keys.length - wire.readonlyUnsigned;
}

/** An account as an instruction names it. */
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

/** Somebody who signs transactions. */
export interface TransactionSigner {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

function pushLength(out: number[], length: number): void {
  let rest = length;
  for (; rest > 0x7f; rest >>= 7) out.push((rest & 0x7f) | 0x80);
  out.push(rest);
}

/** Compiles and signs a legacy transaction. The first signer pays. Throws when a needed signer is not given. */
export function buildTransaction(
  instructions: readonly Instruction[],
  signers: readonly TransactionSigner[],
  blockhash: string,
): Uint8Array {
  const payer = signers[0];
  if (payer === undefined) throw new Error('a transaction needs a signer');
  const metas = new Map<string, { signer: boolean; writable: boolean }>();
  metas.set(payer.address, { signer: true, writable: true });
  for (const { program, accounts } of instructions) {
    for (const { address, signer, writable } of accounts) {
      const known = metas.get(address);
      metas.set(address, {
        signer: signer || known?.signer === true,
        writable: writable || known?.writable === true,
      });
    }
    if (!metas.has(program)) metas.set(program, { signer: false, writable: false });
  }
  const rank = ({ signer, writable }: { signer: boolean; writable: boolean }) =>
    (signer ? 0 : 2) + (writable ? 0 : 1);
  const keys = [...metas].toSorted((a, b) => rank(a[1]) - rank(b[1]));
  const index = new Map(keys.map(([address], at) => [address, at]));
  const count = (wanted: number) => keys.filter(([, meta]) => rank(meta) === wanted).length;
  const out: number[] = [count(0) + count(1), count(1), count(3)];
  pushLength(out, keys.length);
  for (const [address] of keys) out.push(...bytesOf(address));
  out.push(...bytesOf(blockhash));
  pushLength(out, instructions.length);
  for (const { program, accounts, data } of instructions) {
    out.push(index.get(program) as number);
    pushLength(out, accounts.length);
    for (const { address } of accounts) out.push(index.get(address) as number);
    pushLength(out, data.length);
    out.push(...data);
  }
  const message = Uint8Array.from(out);
  const required = out[0] as number;
  const bytes = new Uint8Array(1 + required * SIGNATURE_BYTES + message.length);
  bytes[0] = required;
  for (let at = 0; at < required; at += 1) {
    const address = (keys[at] as (typeof keys)[number])[0];
    const signer = signers.find((candidate) => candidate.address === address);
    if (signer === undefined) throw new Error(`the signature of ${address} is missing`);
    bytes.set(signer.sign(message), 1 + at * SIGNATURE_BYTES);
  }
  bytes.set(message, 1 + required * SIGNATURE_BYTES);
  return bytes;
}
