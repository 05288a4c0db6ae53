import { type ByteReader, u8 } from '../../../chain/solana/layout.js';
import { type Typed, form, inForm } from './form.js';

const CREATED = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];
const NESTED = [
  'nestedSource',
  'nestedMint',
  'destination',
  'nestedOwner',
  'ownerMint',
  'wallet',
  'tokenProgram',
];

// By instruction number.
const FORMS = [form('create', CREATED), form('createIdempotent', CREATED), form('recoverNested', NESTED)];

/**
 * An instruction of the associated token program; one without data creates.
 * Source: parse_associated_token.rs of Agave's transaction-status.
 */
export function parseAssociatedTokenInstruction(
  accounts: readonly string[],
  reader: ByteReader,
): Typed | null {
  // Borsh rejects trailing bytes.
  if (reader.remaining > 1) return null;
  return inForm(FORMS[reader.remaining === 0 ? 0 : u8(reader)], accounts, reader);
}
