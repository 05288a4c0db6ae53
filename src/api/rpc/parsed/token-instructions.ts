import { uiTokenAmount } from './amounts.js';
import { type Form, type Info, type Typed, inForm } from './form.js';
import { ByteReader } from './reader.js';

/** The form of a token instruction. The named accounts are followed by the signers. */
interface TokenForm extends Form {
  /** The member that names the owner; when signers follow, the owner is a multisig and the member `multisig…`. */
  readonly owner?: 'authority' | 'owner' | 'mintAuthority' | 'freezeAuthority';
  /** All accounts after the named ones are signers, at least one. */
  readonly signersOnly?: true;
}

// In the order of their numbers, as UiAuthorityType and UiExtensionType name them.
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
const EXTENSION_TYPES = [
  'uninitialized',
  'transferFeeConfig',
  'transferFeeAmount',
  'mintCloseAuthority',
  'confidentialTransferMint',
  'confidentialTransferAccount',
  'defaultAccountState',
  'immutableOwner',
  'memoTransfer',
  'nonTransferable',
  'interestBearingConfig',
  'cpiGuard',
  'permanentDelegate',
  'nonTransferableAccount',
  'transferHook',
  'transferHookAccount',
  'confidentialTransferFeeConfig',
  'confidentialTransferFeeAmount',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'confidentialMintBurn',
  'scaledUiAmount',
  'pausable',
  'pausableAccount',
  'permissionedBurn',
];

const SET_AUTHORITY = 6;
/** The authorities of an account, by the names above; all others are of a mint. */
const ACCOUNT_AUTHORITIES: ReadonlySet<string | undefined> = new Set(['accountOwner', 'closeAccount']);

const amount = (reader: ByteReader): Info => ({ amount: reader.u64().toString() });
const owner = (reader: ByteReader): Info => ({ owner: reader.address() });
const multisig = (reader: ByteReader): Info => ({ m: reader.u8() });

function tokenAmount(reader: ByteReader): Info {
  const amountBase = reader.u64();
  return { tokenAmount: uiTokenAmount(amountBase, reader.u8()) };
}

function mint(reader: ByteReader): Info {
  const decimals = reader.u8();
  const mintAuthority = reader.address();
  const freezeAuthority = reader.optionalAddress();
  return { decimals, mintAuthority, ...(freezeAuthority === null ? {} : { freezeAuthority }) };
}

function authority(reader: ByteReader): Info {
  return { authorityType: reader.variant(AUTHORITY_TYPES), newAuthority: reader.optionalAddress() };
}

function extensionTypes(reader: ByteReader): Info {
  const types: string[] = [];
  while (reader.remaining > 0 && !reader.failed) types.push(reader.variant(EXTENSION_TYPES, 2));
  return types.length === 0 ? {} : { extensionTypes: types };
}

// By instruction number.
const FORMS: readonly TokenForm[] = [
  { type: 'initializeMint', accounts: ['mint', 'rentSysvar'], data: mint },
  { type: 'initializeAccount', accounts: ['account', 'mint', 'owner', 'rentSysvar'] },
  { type: 'initializeMultisig', accounts: ['multisig', 'rentSysvar'], data: multisig, signersOnly: true },
  { type: 'transfer', accounts: ['source', 'destination'], data: amount, owner: 'authority' },
  { type: 'approve', accounts: ['source', 'delegate'], data: amount, owner: 'owner' },
  { type: 'revoke', accounts: ['source'], owner: 'owner' },
  { type: 'setAuthority', accounts: ['mint'], data: authority, owner: 'authority' },
  { type: 'mintTo', accounts: ['mint', 'account'], data: amount, owner: 'mintAuthority' },
  { type: 'burn', accounts: ['account', 'mint'], data: amount, owner: 'authority' },
  { type: 'closeAccount', accounts: ['account', 'destination'], owner: 'owner' },
  { type: 'freezeAccount', accounts: ['account', 'mint'], owner: 'freezeAuthority' },
  { type: 'thawAccount', accounts: ['account', 'mint'], owner: 'freezeAuthority' },
  {
    type: 'transferChecked',
    accounts: ['source', 'mint', 'destination'],
    data: tokenAmount,
    owner: 'authority',
  },
  { type: 'approveChecked', accounts: ['source', 'mint', 'delegate'], data: tokenAmount, owner: 'owner' },
  { type: 'mintToChecked', accounts: ['mint', 'account'], data: tokenAmount, owner: 'mintAuthority' },
  { type: 'burnChecked', accounts: ['account', 'mint'], data: tokenAmount, owner: 'authority' },
  { type: 'initializeAccount2', accounts: ['account', 'mint', 'rentSysvar'], data: owner },
  { type: 'syncNative', accounts: ['account'] },
  { type: 'initializeAccount3', accounts: ['account', 'mint'], data: owner },
  { type: 'initializeMultisig2', accounts: ['multisig'], data: multisig, signersOnly: true },
  { type: 'initializeMint2', accounts: ['mint'], data: mint },
  { type: 'getAccountDataSize', accounts: ['mint'], data: extensionTypes },
  { type: 'initializeImmutableOwner', accounts: ['account'] },
  { type: 'amountToUiAmount', accounts: ['mint'], data: amount },
  {
    type: 'uiAmountToAmount',
    accounts: ['mint'],
    data: (reader) => ({ uiAmount: reader.text(reader.remaining) }),
  },
];
const SET_ACCOUNT_AUTHORITY: TokenForm = {
  type: 'setAuthority',
  accounts: ['account'],
  data: authority,
  owner: 'authority',
};

function formOf(data: Uint8Array): TokenForm | undefined {
  const [code, authorityType] = data;
  if (code === undefined) return undefined;
  if (code === SET_AUTHORITY && ACCOUNT_AUTHORITIES.has(AUTHORITY_TYPES[authorityType ?? 0]))
    return SET_ACCOUNT_AUTHORITY;
  return FORMS[code];
}

/** The authority: the owner alone, or a multisig with its signers. Source: `parse_signers` of Agave. */
function signersOf(form: TokenForm, behind: readonly string[]): Info {
  if (form.signersOnly === true) return { signers: behind };
  if (form.owner === undefined) return {};
  const [first, ...signers] = behind;
  if (signers.length === 0) return { [form.owner]: first };
  const name = `multisig${form.owner.charAt(0).toUpperCase()}${form.owner.slice(1)}`;
  return { [name]: first, signers };
}

/**
 * An instruction that both token programs know, which are the numbers 0 to 24; null for those of the extensions.
 * Source: parse_token.rs of Agave's transaction-status.
 */
export function parseTokenInstruction(accounts: readonly string[], data: Uint8Array): Typed | null {
  const form = formOf(data);
  if (form === undefined) return null;
  const signed = form.owner !== undefined || form.signersOnly === true;
  const behind = accounts.slice(form.accounts.length);
  if (signed && behind.length === 0) return null;
  const typed = inForm(form, accounts, new ByteReader(data.subarray(1)));
  return typed === null ? null : { type: typed.type, info: { ...typed.info, ...signersOf(form, behind) } };
}
