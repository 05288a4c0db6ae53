import {
  type ByteReader,
  type Layout,
  address,
  i16,
  list,
  readLayout,
  struct,
  text,
  u16,
  u32,
  u8,
} from '../../../chain/solana/layout.js';
import { ACCOUNT_STATES } from '../../../chain/solana/token-accounts.js';
import { type Info, addressUnlessZero, json64, jsonSigned64 } from './form.js';

const UNINITIALIZED = 0;
const TYPE_BYTES = 2;

/** The programs' PodBool: anything but 0 is true. */
const flag: Layout<boolean> = (reader) => u8(reader) !== 0;
const accountState: Layout<string> = (reader) => ACCOUNT_STATES[u8(reader)] ?? 'uninitialized';
const transferFee = struct({ epoch: json64, maximumFee: json64, transferFeeBasisPoints: u16 });
const borshText = text(u32);

const transferFeeConfig = struct({
  transferFeeConfigAuthority: addressUnlessZero,
  withdrawWithheldAuthority: addressUnlessZero,
  withheldAmount: json64,
  olderTransferFee: transferFee,
  newerTransferFee: transferFee,
});

const interestBearingConfig = struct({
  rateAuthority: addressUnlessZero,
  initializationTimestamp: jsonSigned64,
  preUpdateAverageRate: i16,
  lastUpdateTimestamp: jsonSigned64,
  currentRate: i16,
});

const tokenMetadata = struct({
  updateAuthority: addressUnlessZero,
  mint: address,
  name: borshText,
  symbol: borshText,
  uri: borshText,
  additionalMetadata: list((reader) => [borshText(reader), borshText(reader)], u32),
});

const tokenGroup = struct({
  updateAuthority: addressUnlessZero,
  mint: address,
  size: json64,
  maxSize: json64,
});

const tokenGroupMember = struct({ mint: address, group: address, memberNumber: json64 });

const pointer = (target: string) => struct({ authority: addressUnlessZero, [target]: addressUnlessZero });

/** An extension without a state. */
const FLAG = 'flag';

// By number, with the names of UiExtensionType. Without a state: those that are not parsed, which are the encrypted ones, permissionedBurn,
// and the scaled amounts, whose doubles Rust and JavaScript write differently.
const EXTENSIONS: readonly (readonly [type: string, state?: Layout<Info> | typeof FLAG])[] = [
  ['uninitialized'],
  ['transferFeeConfig', transferFeeConfig],
  ['transferFeeAmount', struct({ withheldAmount: json64 })],
  ['mintCloseAuthority', struct({ closeAuthority: addressUnlessZero })],
  ['confidentialTransferMint'],
  ['confidentialTransferAccount'],
  ['defaultAccountState', struct({ accountState })],
  ['immutableOwner', FLAG],
  ['memoTransfer', struct({ requireIncomingTransferMemos: flag })],
  ['nonTransferable', FLAG],
  ['interestBearingConfig', interestBearingConfig],
  ['cpiGuard', struct({ lockCpi: flag })],
  ['permanentDelegate', struct({ delegate: addressUnlessZero })],
  ['nonTransferableAccount', FLAG],
  ['transferHook', pointer('programId')],
  ['transferHookAccount', struct({ transferring: flag })],
  ['confidentialTransferFeeConfig'],
  ['confidentialTransferFeeAmount'],
  ['metadataPointer', pointer('metadataAddress')],
  ['tokenMetadata', tokenMetadata],
  ['groupPointer', pointer('groupAddress')],
  ['tokenGroup', tokenGroup],
  ['groupMemberPointer', pointer('memberAddress')],
  ['tokenGroupMember', tokenGroupMember],
  ['confidentialMintBurn'],
  ['scaledUiAmount'],
  ['pausable', struct({ authority: addressUnlessZero, paused: flag })],
  ['pausableAccount', FLAG],
  ['permissionedBurn'],
];

/** The names of the types of extensions, in the order of their numbers. */
export const EXTENSION_TYPES = EXTENSIONS.map(([type]) => type);

/** An extension of unknown type, or of the wrong length. */
const UNPARSEABLE = { extension: 'unparseableExtension' };

/** An extension in the form of the RPC. A flag may have any length, as in Agave. */
function extensionIn(type: number, bytes: Uint8Array): object {
  const [name, state] = EXTENSIONS[type] ?? [];
  if (state === undefined) return UNPARSEABLE;
  // An account's extension has the name of its state.
  const extension = name === 'pausable' ? 'pausableConfig' : name;
  if (state === FLAG) return { extension };
  const whole: Layout<Info | null> = (reader) => {
    const read = state(reader);
    return reader.remaining > 0 ? null : read;
  };
  const read = readLayout(whole, bytes);
  return read === null ? UNPARSEABLE : { extension, state: read };
}

function extensionList(reader: ByteReader): readonly object[] {
  const found: object[] = [];
  while (reader.remaining >= TYPE_BYTES) {
    const type = u16(reader);
    if (type === UNINITIALIZED) break;
    found.push(extensionIn(type, reader.take(u16(reader))));
  }
  return found;
}

/**
 * The extensions in the bytes behind the account type of a Token-2022 account: a type and a length of two bytes each, then the value. None when the
 * bytes end within one. Source: parse_token_extension.rs of Agave's account-decoder, and `get_extension_types` of Token-2022.
 */
export function parseExtensions(bytes: Uint8Array): readonly object[] {
  return readLayout(extensionList, bytes) ?? [];
}
