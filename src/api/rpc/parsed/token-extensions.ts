import type { Info } from './form.js';
import { ByteReader } from './reader.js';

/** The states of a token account, by number. */
export const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'] as const;

interface Extension {
  readonly name: string;
  /** The reader of its state; absent for an extension that is a mere flag. */
  readonly state?: (reader: ByteReader) => Info;
}

const UNINITIALIZED = 0;
const TYPE_BYTES = 2;

/** The programs' PodBool: anything but 0 is true. */
const flag = (reader: ByteReader): boolean => reader.u8() !== 0;

const transferFee = (reader: ByteReader): Info => ({
  epoch: reader.json64(),
  maximumFee: reader.json64(),
  transferFeeBasisPoints: reader.u16(),
});

const borshText = (reader: ByteReader): string => reader.text(reader.u32());

function tokenMetadata(reader: ByteReader): Info {
  const updateAuthority = reader.addressUnlessZero();
  const mint = reader.address();
  const name = borshText(reader);
  const symbol = borshText(reader);
  const uri = borshText(reader);
  const additionalMetadata: (readonly [string, string])[] = [];
  // The count is untrusted: reading stops at the first missing pair.
  for (let left = reader.u32(); left > 0 && !reader.failed; left -= 1)
    additionalMetadata.push([borshText(reader), borshText(reader)]);
  return { updateAuthority, mint, name, symbol, uri, additionalMetadata };
}

const pointer =
  (target: string) =>
  (reader: ByteReader): Info => ({
    authority: reader.addressUnlessZero(),
    [target]: reader.addressUnlessZero(),
  });

// By number. Not parsed: what is encrypted (4, 5, 16, 17, 24), and the scaled amounts (25), whose doubles Rust and JavaScript write differently.
const EXTENSIONS: ReadonlyMap<number, Extension> = new Map<number, Extension>([
  [
    1,
    {
      name: 'transferFeeConfig',
      state: (reader) => ({
        transferFeeConfigAuthority: reader.addressUnlessZero(),
        withdrawWithheldAuthority: reader.addressUnlessZero(),
        withheldAmount: reader.json64(),
        olderTransferFee: transferFee(reader),
        newerTransferFee: transferFee(reader),
      }),
    },
  ],
  [2, { name: 'transferFeeAmount', state: (reader) => ({ withheldAmount: reader.json64() }) }],
  [3, { name: 'mintCloseAuthority', state: (reader) => ({ closeAuthority: reader.addressUnlessZero() }) }],
  [
    6,
    {
      name: 'defaultAccountState',
      state: (reader) => ({ accountState: ACCOUNT_STATES[reader.u8()] ?? 'uninitialized' }),
    },
  ],
  [7, { name: 'immutableOwner' }],
  [8, { name: 'memoTransfer', state: (reader) => ({ requireIncomingTransferMemos: flag(reader) }) }],
  [9, { name: 'nonTransferable' }],
  [
    10,
    {
      name: 'interestBearingConfig',
      state: (reader) => ({
        rateAuthority: reader.addressUnlessZero(),
        initializationTimestamp: reader.jsonSigned64(),
        preUpdateAverageRate: reader.i16(),
        lastUpdateTimestamp: reader.jsonSigned64(),
        currentRate: reader.i16(),
      }),
    },
  ],
  [11, { name: 'cpiGuard', state: (reader) => ({ lockCpi: flag(reader) }) }],
  [12, { name: 'permanentDelegate', state: (reader) => ({ delegate: reader.addressUnlessZero() }) }],
  [13, { name: 'nonTransferableAccount' }],
  [14, { name: 'transferHook', state: pointer('programId') }],
  [15, { name: 'transferHookAccount', state: (reader) => ({ transferring: flag(reader) }) }],
  [18, { name: 'metadataPointer', state: pointer('metadataAddress') }],
  [19, { name: 'tokenMetadata', state: tokenMetadata }],
  [20, { name: 'groupPointer', state: pointer('groupAddress') }],
  [
    21,
    {
      name: 'tokenGroup',
      state: (reader) => ({
        updateAuthority: reader.addressUnlessZero(),
        mint: reader.address(),
        size: reader.json64(),
        maxSize: reader.json64(),
      }),
    },
  ],
  [22, { name: 'groupMemberPointer', state: pointer('memberAddress') }],
  [
    23,
    {
      name: 'tokenGroupMember',
      state: (reader) => ({
        mint: reader.address(),
        group: reader.address(),
        memberNumber: reader.json64(),
      }),
    },
  ],
  [
    26,
    {
      name: 'pausableConfig',
      state: (reader) => ({ authority: reader.addressUnlessZero(), paused: flag(reader) }),
    },
  ],
  [27, { name: 'pausableAccount' }],
]);

/** An extension that is not known here, or of another length than its type's. */
const UNPARSEABLE = { extension: 'unparseableExtension' };

/** An extension in the form of the RPC. One that is a mere flag may have any length, as in Agave. */
function extensionIn(type: number, bytes: Uint8Array): object {
  const known = EXTENSIONS.get(type);
  if (known === undefined) return UNPARSEABLE;
  if (known.state === undefined) return { extension: known.name };
  const reader = new ByteReader(bytes);
  const state = known.state(reader);
  return reader.failed || reader.remaining > 0 ? UNPARSEABLE : { extension: known.name, state };
}

/**
 * The extensions in the bytes behind the account type of a Token-2022 account: a type and a length of two bytes each, then the value. None when the
 * bytes end within one. Source: parse_token_extension.rs of Agave's account-decoder, and `get_extension_types` of Token-2022.
 */
export function parseExtensions(bytes: Uint8Array): readonly object[] {
  const reader = new ByteReader(bytes);
  const found: object[] = [];
  while (reader.remaining >= TYPE_BYTES) {
    const type = reader.u16();
    if (type === UNINITIALIZED) break;
    const value = reader.bytes(reader.u16());
    if (reader.failed) return [];
    found.push(extensionIn(type, value));
  }
  return found;
}
