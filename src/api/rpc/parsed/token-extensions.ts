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

interface Extension {
  readonly name: string;
  /** The layout of its state; absent for an extension that is only a flag. */
  readonly state?: Layout<Info>;
}

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

// By number. Not parsed: what is encrypted (4, 5, 16, 17, 24), and the scaled amounts (25), whose doubles Rust and JavaScript write differently.
const EXTENSIONS: Readonly<Record<number, Extension>> = {
  1: { name: 'transferFeeConfig', state: transferFeeConfig },
  2: { name: 'transferFeeAmount', state: struct({ withheldAmount: json64 }) },
  3: { name: 'mintCloseAuthority', state: struct({ closeAuthority: addressUnlessZero }) },
  6: { name: 'defaultAccountState', state: struct({ accountState }) },
  7: { name: 'immutableOwner' },
  8: { name: 'memoTransfer', state: struct({ requireIncomingTransferMemos: flag }) },
  9: { name: 'nonTransferable' },
  10: { name: 'interestBearingConfig', state: interestBearingConfig },
  11: { name: 'cpiGuard', state: struct({ lockCpi: flag }) },
  12: { name: 'permanentDelegate', state: struct({ delegate: addressUnlessZero }) },
  13: { name: 'nonTransferableAccount' },
  14: { name: 'transferHook', state: pointer('programId') },
  15: { name: 'transferHookAccount', state: struct({ transferring: flag }) },
  18: { name: 'metadataPointer', state: pointer('metadataAddress') },
  19: { name: 'tokenMetadata', state: tokenMetadata },
  20: { name: 'groupPointer', state: pointer('groupAddress') },
  21: { name: 'tokenGroup', state: tokenGroup },
  22: { name: 'groupMemberPointer', state: pointer('memberAddress') },
  23: { name: 'tokenGroupMember', state: tokenGroupMember },
  26: { name: 'pausableConfig', state: struct({ authority: addressUnlessZero, paused: flag }) },
  27: { name: 'pausableAccount' },
};

/** An extension of unknown type, or of the wrong length. */
const UNPARSEABLE = { extension: 'unparseableExtension' };

/** An extension in the form of the RPC. A flag may have any length, as in Agave. */
function extensionIn(type: number, bytes: Uint8Array): object {
  const { name, state } = EXTENSIONS[type] ?? {};
  if (name === undefined) return UNPARSEABLE;
  if (state === undefined) return { extension: name };
  const whole: Layout<Info | null> = (reader) => {
    const read = state(reader);
    return reader.remaining > 0 ? null : read;
  };
  const read = readLayout(whole, bytes);
  return read === null ? UNPARSEABLE : { extension: name, state: read };
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
