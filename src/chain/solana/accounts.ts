import { ByteReader, address, list, option, readLayout, struct, u32, u64, u8 } from './layout.js';

export const NONCE_BYTES = 80;
/** The offset of the value that replaces a blockhash. */
export const NONCE_VALUE_AT = 40;
/** The state of a nonce account. Source: nonce/state of the Solana SDK. */
const nonceLayout = struct({
  version: u32,
  state: u32,
  authority: address,
  blockhash: address,
  lamportsPerSignature: u64,
});
const INITIALIZED = 1;

/** Reads the state of an initialized nonce; null for other bytes. */
export function readNonce(data: Uint8Array): ReturnType<typeof nonceLayout> | null {
  const nonce = readLayout(nonceLayout, data);
  return nonce?.state === INITIALIZED ? nonce : null;
}

/** The header of a table, then 32 bytes per address. Source: LookupTableMeta of the program. */
const headerLayout = struct({
  kind: u32,
  deactivationSlot: u64,
  lastExtendedSlot: u64,
  lastExtendedSlotStartIndex: u8,
  authority: option(address),
});
const HEADER_BYTES = 56;
const ADDRESS_BYTES = 32;
const TABLE = 1;

/** Reads an address lookup table; null for other bytes. */
export function readLookupTable(
  data: Uint8Array,
): (ReturnType<typeof headerLayout> & { readonly addresses: readonly string[] }) | null {
  const header = readLayout(headerLayout, data);
  const count = (data.length - HEADER_BYTES) / ADDRESS_BYTES;
  if (header?.kind !== TABLE || count < 0 || !Number.isInteger(count)) return null;
  return { ...header, addresses: list(address, () => count)(new ByteReader(data.subarray(HEADER_BYTES))) };
}
