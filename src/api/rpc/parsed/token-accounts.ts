import { MINT_BYTES, TOKEN_ACCOUNT_BYTES } from '../../../chain/solana/token-accounts.js';
import { uiTokenAmount } from './amounts.js';
import type { Info, Typed } from './form.js';
import { ByteReader } from './reader.js';
import { ACCOUNT_STATES, parseExtensions } from './token-extensions.js';

const MULTISIG_BYTES = 355;
const MAX_SIGNERS = 11;
const MINT_TYPE = 1;
const ACCOUNT_TYPE = 2;

/**
 * The bytes of extensions of an account whose own layout takes `baseBytes`: zeros up to the length of a token account, then the account type, then the
 * extensions. Empty for an account without any; null when the bytes are not of this type. Source: `StateWithExtensions` of Token-2022.
 */
function extensionBytes(data: Uint8Array, baseBytes: number, accountType: number): Uint8Array | null {
  if (data.length === baseBytes) return new Uint8Array(0);
  if (data.length <= TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return null;
  if (data.subarray(baseBytes, TOKEN_ACCOUNT_BYTES).some((byte) => byte !== 0)) return null;
  if (data[TOKEN_ACCOUNT_BYTES] !== accountType) return null;
  return data.subarray(TOKEN_ACCOUNT_BYTES + 1);
}

function extensionsMember(bytes: Uint8Array): Info {
  const extensions = parseExtensions(bytes);
  return extensions.length === 0 ? {} : { extensions };
}

/** Presence of a value, by four bytes, 0 or 1; the bytes of the value follow in either case. Null for any other number. */
function presence(reader: ByteReader): boolean | null {
  const tag = reader.u32();
  return tag > 1 ? null : tag === 1;
}

function parseTokenAccount(data: Uint8Array, decimalsOf: (mint: string) => number | null): Typed | null {
  const extensions = extensionBytes(data, TOKEN_ACCOUNT_BYTES, ACCOUNT_TYPE);
  if (extensions === null) return null;
  const reader = new ByteReader(data);
  const mint = reader.address();
  const owner = reader.address();
  const amountBase = reader.u64();
  const hasDelegate = presence(reader);
  const delegate = reader.address();
  const state = ACCOUNT_STATES[reader.u8()];
  const isNative = presence(reader);
  const reserveBase = reader.u64();
  const delegatedBase = reader.u64();
  const hasCloseAuthority = presence(reader);
  const closeAuthority = reader.address();
  if (reader.failed || hasDelegate === null || isNative === null || hasCloseAuthority === null) return null;
  if (state === undefined || state === 'uninitialized') return null;
  const decimals = decimalsOf(mint);
  if (decimals === null) return null;
  return {
    type: 'account',
    info: {
      mint,
      owner,
      tokenAmount: uiTokenAmount(amountBase, decimals),
      ...(hasDelegate ? { delegate, delegatedAmount: uiTokenAmount(delegatedBase, decimals) } : {}),
      state,
      isNative,
      ...(isNative ? { rentExemptReserve: uiTokenAmount(reserveBase, decimals) } : {}),
      ...(hasCloseAuthority ? { closeAuthority } : {}),
      ...extensionsMember(extensions),
    },
  };
}

function parseMint(data: Uint8Array): Typed | null {
  const extensions = extensionBytes(data, MINT_BYTES, MINT_TYPE);
  if (extensions === null) return null;
  const reader = new ByteReader(data);
  const hasMintAuthority = presence(reader);
  const mintAuthority = reader.address();
  const supply = reader.u64().toString();
  const decimals = reader.u8();
  const isInitialized = reader.bool();
  const hasFreezeAuthority = presence(reader);
  const freezeAuthority = reader.address();
  if (reader.failed || !isInitialized || hasMintAuthority === null || hasFreezeAuthority === null)
    return null;
  return {
    type: 'mint',
    info: {
      mintAuthority: hasMintAuthority ? mintAuthority : null,
      supply,
      decimals,
      isInitialized,
      freezeAuthority: hasFreezeAuthority ? freezeAuthority : null,
      ...extensionsMember(extensions),
    },
  };
}

function parseMultisig(data: Uint8Array): Typed | null {
  if (data.length !== MULTISIG_BYTES) return null;
  const reader = new ByteReader(data);
  const numRequiredSigners = reader.u8();
  const numValidSigners = reader.u8();
  const isInitialized = reader.bool();
  if (reader.failed || !isInitialized) return null;
  const signers = Array.from({ length: MAX_SIGNERS }, () => reader.addressUnlessZero());
  return {
    type: 'multisig',
    info: {
      numRequiredSigners,
      numValidSigners,
      isInitialized,
      signers: signers.filter((signer) => signer !== null),
    },
  };
}

/**
 * A token account, mint or multisig of either token program. One that is not initialized gives null, as does an account whose mint is unknown.
 * Source: `parse_token_v3` of Agave's account-decoder.
 */
export function parseTokenState(data: Uint8Array, decimalsOf: (mint: string) => number | null): Typed | null {
  return parseTokenAccount(data, decimalsOf) ?? parseMint(data) ?? parseMultisig(data);
}
