import { MULTISIG_BYTES, readMint, readTokenAccount } from '../../../chain/solana/token-accounts.js';
import { bool, list, readLayout, struct, u8 } from '../../../chain/solana/layout.js';
import { uiTokenAmount } from './amounts.js';
import { type Info, type Typed, addressUnlessZero } from './form.js';
import { parseExtensions } from './token-extensions.js';

const MAX_SIGNERS = 11;

function extensionsMember(bytes: Uint8Array): Info {
  const extensions = parseExtensions(bytes);
  return extensions.length === 0 ? {} : { extensions };
}

function parseTokenAccount(data: Uint8Array, decimalsOf: (mint: string) => number | null): Typed | null {
  const account = readTokenAccount(data);
  const decimals = account === null ? null : decimalsOf(account.mint);
  if (account === null || decimals === null) return null;
  const { mint, owner, amountBase, delegate, state, reserveBase, closeAuthority } = account;
  const amount = (base: bigint) => uiTokenAmount(base, decimals);
  return {
    type: 'account',
    info: {
      mint,
      owner,
      tokenAmount: amount(amountBase),
      ...(delegate === null ? {} : { delegate, delegatedAmount: amount(account.delegatedBase) }),
      state,
      isNative: reserveBase !== null,
      ...(reserveBase === null ? {} : { rentExemptReserve: amount(reserveBase) }),
      ...(closeAuthority === null ? {} : { closeAuthority }),
      ...extensionsMember(account.extensions),
    },
  };
}

function parseMint(data: Uint8Array): Typed | null {
  const mint = readMint(data);
  if (mint === null) return null;
  const { supplyBase, mintAuthority, freezeAuthority, decimals, isInitialized, extensions } = mint;
  const supply = supplyBase.toString();
  const info = { mintAuthority, supply, decimals, isInitialized, freezeAuthority };
  return { type: 'mint', info: { ...info, ...extensionsMember(extensions) } };
}

const multisigLayout = struct({
  numRequiredSigners: u8,
  numValidSigners: u8,
  isInitialized: bool,
  signers: list(addressUnlessZero, () => MAX_SIGNERS),
});

function parseMultisig(data: Uint8Array): Typed | null {
  const multisig = data.length === MULTISIG_BYTES ? readLayout(multisigLayout, data) : null;
  if (multisig?.isInitialized !== true) return null;
  const signers = multisig.signers.filter((signer) => signer !== null);
  return { type: 'multisig', info: { ...multisig, signers } };
}

/**
 * A token account, mint or multisig of either token program. One that is not initialized gives null, as does an account whose mint is unknown.
 * Source: `parse_token_v3` of Agave's account-decoder.
 */
export function parseTokenState(data: Uint8Array, decimalsOf: (mint: string) => number | null): Typed | null {
  return parseTokenAccount(data, decimalsOf) ?? parseMint(data) ?? parseMultisig(data);
}
