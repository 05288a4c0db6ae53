import { type Form, type Info, type Typed, inForm } from './form.js';
import { ByteReader } from './reader.js';

const TABLE = ['lookupTableAccount', 'lookupTableAuthority'];
const PAYER = ['payerAccount', 'systemProgram'];

const newAddresses = (reader: ByteReader): Info => ({ newAddresses: reader.addresses(reader.u64()) });

const EXTEND = 2;
const EXTEND_WITH_PAYER: Form = {
  type: 'extendLookupTable',
  accounts: [...TABLE, ...PAYER],
  data: newAddresses,
};

// By instruction number.
const FORMS: readonly Form[] = [
  {
    type: 'createLookupTable',
    accounts: [...TABLE, ...PAYER],
    data: (reader) => ({ recentSlot: reader.json64(), bumpSeed: reader.u8() }),
  },
  { type: 'freezeLookupTable', accounts: TABLE },
  { type: 'extendLookupTable', accounts: TABLE, data: newAddresses },
  { type: 'deactivateLookupTable', accounts: TABLE },
  { type: 'closeLookupTable', accounts: [...TABLE, 'recipient'] },
];

/** An instruction of the address lookup table program. Source: parse_address_lookup_table.rs of Agave's transaction-status. */
export function parseLookupTableInstruction(accounts: readonly string[], data: Uint8Array): Typed | null {
  const reader = new ByteReader(data);
  const code = reader.u32();
  // The payer may be omitted when the table holds enough lamports.
  const paid = code === EXTEND && accounts.length >= EXTEND_WITH_PAYER.accounts.length;
  return inForm(paid ? EXTEND_WITH_PAYER : FORMS[code], accounts, reader);
}

const UNINITIALIZED = 0;
const LOOKUP_TABLE = 1;
const HEADER_BYTES = 56;
const ADDRESS_BYTES = 32;

/** An address lookup table. Source: parse_address_lookup_table.rs of Agave's account-decoder, and the table's LookupTableMeta. */
export function parseLookupTable(data: Uint8Array): Typed | { readonly type: string } | null {
  const header = new ByteReader(data);
  const kind = header.u32();
  if (header.failed) return null;
  if (kind === UNINITIALIZED) return { type: 'uninitialized' };
  if (kind !== LOOKUP_TABLE || data.length < HEADER_BYTES) return null;
  const deactivationSlot = header.u64().toString();
  const lastExtendedSlot = header.u64().toString();
  const lastExtendedSlotStartIndex = header.u8();
  const authority = header.optionalAddress();
  const body = new ByteReader(data.subarray(HEADER_BYTES));
  if (header.failed || body.remaining % ADDRESS_BYTES !== 0) return null;
  const addresses = body.addresses(BigInt(body.remaining / ADDRESS_BYTES));
  return {
    type: 'lookupTable',
    info: {
      deactivationSlot,
      lastExtendedSlot,
      lastExtendedSlotStartIndex,
      ...(authority === null ? {} : { authority }),
      addresses,
    },
  };
}
