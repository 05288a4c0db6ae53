import { readLookupTable } from '../../../chain/solana/accounts.js';
import { type ByteReader, address, list, struct, u32, u8 } from '../../../chain/solana/layout.js';
import { type Typed, form, inForm, json64 } from './form.js';

const TABLE = ['lookupTableAccount', 'lookupTableAuthority'];
const PAYER = ['payerAccount', 'systemProgram'];

const newAddresses = struct({ newAddresses: list(address) });

const EXTEND = 2;
const EXTEND_WITH_PAYER = form('extendLookupTable', [...TABLE, ...PAYER], newAddresses);

// By instruction number.
const FORMS = [
  form('createLookupTable', [...TABLE, ...PAYER], struct({ recentSlot: json64, bumpSeed: u8 })),
  form('freezeLookupTable', TABLE),
  form('extendLookupTable', TABLE, newAddresses),
  form('deactivateLookupTable', TABLE),
  form('closeLookupTable', [...TABLE, 'recipient']),
];

/** An instruction of the address lookup table program. Source: parse_address_lookup_table.rs of Agave's transaction-status. */
export function parseLookupTableInstruction(accounts: readonly string[], reader: ByteReader): Typed | null {
  const code = u32(reader);
  // The payer may be omitted when the table holds enough lamports.
  const paid = code === EXTEND && accounts.length >= EXTEND_WITH_PAYER.accounts.length;
  return inForm(paid ? EXTEND_WITH_PAYER : FORMS[code], accounts, reader);
}

const UNINITIALIZED = 0;

/** An address lookup table. Source: parse_address_lookup_table.rs of Agave's account-decoder. */
export function parseLookupTable(reader: ByteReader): Typed | { readonly type: string } | null {
  if (u32(reader) === UNINITIALIZED) return { type: 'uninitialized' };
  const table = readLookupTable(reader.bytes);
  if (table === null) return null;
  return {
    type: 'lookupTable',
    info: {
      deactivationSlot: table.deactivationSlot.toString(),
      lastExtendedSlot: table.lastExtendedSlot.toString(),
      lastExtendedSlotStartIndex: table.lastExtendedSlotStartIndex,
      ...(table.authority === null ? {} : { authority: table.authority }),
      addresses: table.addresses,
    },
  };
}
