import { type Form, type Typed, inForm } from './form.js';
import { ByteReader } from './reader.js';

const CREATED = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

// By instruction number.
const FORMS: readonly Form[] = [
  { type: 'create', accounts: CREATED },
  { type: 'createIdempotent', accounts: CREATED },
  {
    type: 'recoverNested',
    accounts: [
      'nestedSource',
      'nestedMint',
      'destination',
      'nestedOwner',
      'ownerMint',
      'wallet',
      'tokenProgram',
    ],
  },
];

/**
 * An instruction of the associated token program; one without data creates.
 * Source: parse_associated_token.rs of Agave's transaction-status.
 */
export function parseAssociatedTokenInstruction(accounts: readonly string[], data: Uint8Array): Typed | null {
  // Borsh rejects trailing bytes.
  if (data.length > 1) return null;
  return inForm(FORMS[data[0] ?? 0], accounts, new ByteReader(data));
}
