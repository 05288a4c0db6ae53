import {
  type ByteReader,
  type Layout,
  address,
  option,
  struct,
  text,
  u16,
  u64,
  u8,
  variant,
} from '../../../chain/solana/layout.js';
import { uiTokenAmount } from './amounts.js';
import { type Form, type Info, type Typed, form, inForm, u64Text } from './form.js';
import { EXTENSION_TYPES } from './token-extensions.js';

/** The form of a token instruction. The named accounts are followed by the signers. */
interface TokenForm extends Form {
  /** The member that names the owner; when signers follow, the owner is a multisig and the member `multisig…`. */
  readonly owner?: 'authority' | 'owner' | 'mintAuthority' | 'freezeAuthority';
  /** All accounts after the named ones are signers, at least one. */
  readonly signersOnly?: true;
}

// In the order of their numbers, as UiAuthorityType names them.
const AUTHORITY_TYPES = [
  'mintTokens',
  'freezeAccount',
  'accountOwner',
  'closeAccount',
  'transferFeeConfig',
  'withheldWithdraw',
  'closeMint',
  'interestRate',
  'permanentDelegate',
  'confidentialTransferMint',
  'transferHookProgramId',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'groupPointer',
  'groupMemberPointer',
  'scaledUiAmount',
  'pause',
  'permissionedBurn',
];

const SET_AUTHORITY = 6;
/** The authorities of an account, by the names above; all others belong to a mint. */
const ACCOUNT_AUTHORITIES: ReadonlySet<string | undefined> = new Set(['accountOwner', 'closeAccount']);

const amount = struct({ amount: u64Text });
const owner = struct({ owner: address });
const multisig = struct({ m: u8 });
const authority = struct({ authorityType: variant(AUTHORITY_TYPES), newAuthority: option(address) });
const mintLayout = struct({ decimals: u8, mintAuthority: address, freezeAuthority: option(address) });
const extensionType = variant(EXTENSION_TYPES, u16);

function tokenAmount(reader: ByteReader): Info {
  const amountBase = u64(reader);
  return { tokenAmount: uiTokenAmount(amountBase, u8(reader)) };
}

function mint(reader: ByteReader): Info {
  const { freezeAuthority, ...others } = mintLayout(reader);
  return freezeAuthority === null ? others : { ...others, freezeAuthority };
}

function extensionTypes(reader: ByteReader): Info {
  const types: string[] = [];
  while (reader.remaining > 0) types.push(extensionType(reader));
  return types.length === 0 ? {} : { extensionTypes: types };
}

const uiAmount: Layout<Info> = (reader) => ({ uiAmount: text(() => reader.remaining)(reader) });

function owned(
  type: string,
  accounts: readonly string[],
  name: NonNullable<TokenForm['owner']>,
  data?: Layout<Info>,
): TokenForm {
  return { ...form(type, accounts, data), owner: name };
}

// By instruction number.
const FORMS: readonly TokenForm[] = [
  form('initializeMint', ['mint', 'rentSysvar'], mint),
  form('initializeAccount', ['account', 'mint', 'owner', 'rentSysvar']),
  { ...form('initializeMultisig', ['multisig', 'rentSysvar'], multisig), signersOnly: true },
  owned('transfer', ['source', 'destination'], 'authority', amount),
  owned('approve', ['source', 'delegate'], 'owner', amount),
  owned('revoke', ['source'], 'owner'),
  owned('setAuthority', ['mint'], 'authority', authority),
  owned('mintTo', ['mint', 'account'], 'mintAuthority', amount),
  owned('burn', ['account', 'mint'], 'authority', amount),
  owned('closeAccount', ['account', 'destination'], 'owner'),
  owned('freezeAccount', ['account', 'mint'], 'freezeAuthority'),
  owned('thawAccount', ['account', 'mint'], 'freezeAuthority'),
  owned('transferChecked', ['source', 'mint', 'destination'], 'authority', tokenAmount),
  owned('approveChecked', ['source', 'mint', 'delegate'], 'owner', tokenAmount),
  owned('mintToChecked', ['mint', 'account'], 'mintAuthority', tokenAmount),
  owned('burnChecked', ['account', 'mint'], 'authority', tokenAmount),
  form('initializeAccount2', ['account', 'mint', 'rentSysvar'], owner),
  form('syncNative', ['account']),
  form('initializeAccount3', ['account', 'mint'], owner),
  { ...form('initializeMultisig2', ['multisig'], multisig), signersOnly: true },
  form('initializeMint2', ['mint'], mint),
  form('getAccountDataSize', ['mint'], extensionTypes),
  form('initializeImmutableOwner', ['account']),
  form('amountToUiAmount', ['mint'], amount),
  form('uiAmountToAmount', ['mint'], uiAmount),
];
const SET_ACCOUNT_AUTHORITY = owned('setAuthority', ['account'], 'authority', authority);

function formOf(data: Uint8Array): TokenForm | undefined {
  const [code, authorityType] = data;
  if (code === undefined) return undefined;
  if (code === SET_AUTHORITY && ACCOUNT_AUTHORITIES.has(AUTHORITY_TYPES[authorityType ?? 0]))
    return SET_ACCOUNT_AUTHORITY;
  return FORMS[code];
}

/** The authority: an owner, or a multisig with its signers. Source: `parse_signers` of Agave. */
function signersOf({ owner: name, signersOnly }: TokenForm, behind: readonly string[]): Info {
  if (signersOnly === true) return { signers: behind };
  if (name === undefined) return {};
  const [first, ...signers] = behind;
  if (signers.length === 0) return { [name]: first };
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: first, signers };
}

/**
 * An instruction that both token programs know, which are the numbers 0 to 24; null for instructions of extensions.
 * Source: parse_token.rs of Agave's transaction-status.
 */
export function parseTokenInstruction(accounts: readonly string[], reader: ByteReader): Typed | null {
  const known = formOf(reader.bytes);
  if (known === undefined) return null;
  const signed = known.owner !== undefined || known.signersOnly === true;
  const behind = accounts.slice(known.accounts.length);
  if (signed && behind.length === 0) return null;
  reader.skip(1);
  const parsed = inForm(known, accounts, reader);
  return parsed === null ? null : { ...parsed, info: { ...parsed.info, ...signersOf(known, behind) } };
}
