import {
  type ByteReader,
  address,
  readLayout,
  struct,
  text,
  u32,
  u64,
} from '../../../chain/solana/layout.js';
import { readNonce } from '../../../chain/solana/accounts.js';
import { type Typed, form, inForm, json64 } from './form.js';

const seed = text(u64);
const lamports = struct({ lamports: json64 });
const NEW_ACCOUNT = { space: json64, owner: address };
const created = struct({ lamports: json64, ...NEW_ACCOUNT });
const BLOCKHASHES = 'recentBlockhashesSysvar';

// By instruction number. Members are in byte order.
const FORMS = [
  form('createAccount', ['source', 'newAccount'], created),
  form('assign', ['account'], struct({ owner: address })),
  form('transfer', ['source', 'destination'], lamports),
  form(
    'createAccountWithSeed',
    ['source', 'newAccount'],
    struct({ base: address, seed, lamports: json64, ...NEW_ACCOUNT }),
  ),
  form('advanceNonce', ['nonceAccount', BLOCKHASHES, 'nonceAuthority']),
  form(
    'withdrawFromNonce',
    ['nonceAccount', 'destination', BLOCKHASHES, 'rentSysvar', 'nonceAuthority'],
    lamports,
  ),
  form('initializeNonce', ['nonceAccount', BLOCKHASHES, 'rentSysvar'], struct({ nonceAuthority: address })),
  form('authorizeNonce', ['nonceAccount', 'nonceAuthority'], struct({ newAuthorized: address })),
  form('allocate', ['account'], struct({ space: json64 })),
  form('allocateWithSeed', ['account'], struct({ base: address, seed, ...NEW_ACCOUNT })),
  form('assignWithSeed', ['account'], struct({ base: address, seed, owner: address })),
  form(
    'transferWithSeed',
    ['source', 'sourceBase', 'destination'],
    struct({ lamports: json64, sourceSeed: seed, sourceOwner: address }),
  ),
  form('upgradeNonce', ['nonceAccount']),
  form('createAccountAllowPrefund', ['newAccount', 'source'], created),
];

const CREATE_ALLOW_PREFUND = 13;
/** Moves no lamports and therefore needs no source. */
const CREATE_PREFUNDED = form('createAccountAllowPrefund', ['newAccount'], (reader) => {
  u64(reader);
  return struct(NEW_ACCOUNT)(reader);
});

/** Instructions with a base account, which Agave requires although it takes the base from the data. */
const NEEDS_BASE_ACCOUNT: ReadonlySet<string> = new Set(['allocateWithSeed', 'assignWithSeed']);

/** An instruction of the system program. Source: parse_system.rs of Agave's transaction-status. */
export function parseSystemInstruction(accounts: readonly string[], reader: ByteReader): Typed | null {
  const code = u32(reader);
  if (code === CREATE_ALLOW_PREFUND && readLayout(u64, reader.bytes.subarray(reader.at)) === 0n)
    return inForm(CREATE_PREFUNDED, accounts, reader);
  const known = FORMS[code];
  if (known !== undefined && NEEDS_BASE_ACCOUNT.has(known.type) && accounts.length < 2) return null;
  return inForm(known, accounts, reader);
}

/**
 * A nonce account. One that is not initialized gives null, as of Agave 2.0: any allocated account of zeros would look like it.
 * Source: parse_nonce.rs of Agave's account-decoder.
 */
export function parseNonceAccount(data: Uint8Array): Typed | null {
  const nonce = readNonce(data);
  if (nonce === null || nonce.version > 1) return null;
  const { authority, blockhash, lamportsPerSignature } = nonce;
  const feeCalculator = { lamportsPerSignature: lamportsPerSignature.toString() };
  return { type: 'initialized', info: { authority, blockhash, feeCalculator } };
}
