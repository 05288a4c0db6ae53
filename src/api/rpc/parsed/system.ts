import bs58 from 'bs58';
import { type Form, type Info, type Typed, inForm } from './form.js';
import { ByteReader } from './reader.js';

const seedOf = (reader: ByteReader): string => reader.text(reader.u64());

const created = (reader: ByteReader): Info => ({
  lamports: reader.json64(),
  space: reader.json64(),
  owner: reader.address(),
});

// By instruction number. Members are in byte order.
const FORMS: readonly Form[] = [
  { type: 'createAccount', accounts: ['source', 'newAccount'], data: created },
  { type: 'assign', accounts: ['account'], data: (reader) => ({ owner: reader.address() }) },
  {
    type: 'transfer',
    accounts: ['source', 'destination'],
    data: (reader) => ({ lamports: reader.json64() }),
  },
  {
    type: 'createAccountWithSeed',
    accounts: ['source', 'newAccount'],
    data: (reader) => ({ base: reader.address(), seed: seedOf(reader), ...created(reader) }),
  },
  { type: 'advanceNonce', accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority'] },
  {
    type: 'withdrawFromNonce',
    accounts: ['nonceAccount', 'destination', 'recentBlockhashesSysvar', 'rentSysvar', 'nonceAuthority'],
    data: (reader) => ({ lamports: reader.json64() }),
  },
  {
    type: 'initializeNonce',
    accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'rentSysvar'],
    data: (reader) => ({ nonceAuthority: reader.address() }),
  },
  {
    type: 'authorizeNonce',
    accounts: ['nonceAccount', 'nonceAuthority'],
    data: (reader) => ({ newAuthorized: reader.address() }),
  },
  { type: 'allocate', accounts: ['account'], data: (reader) => ({ space: reader.json64() }) },
  {
    type: 'allocateWithSeed',
    accounts: ['account'],
    data: (reader) => ({
      base: reader.address(),
      seed: seedOf(reader),
      space: reader.json64(),
      owner: reader.address(),
    }),
  },
  {
    type: 'assignWithSeed',
    accounts: ['account'],
    data: (reader) => ({ base: reader.address(), seed: seedOf(reader), owner: reader.address() }),
  },
  {
    type: 'transferWithSeed',
    accounts: ['source', 'sourceBase', 'destination'],
    data: (reader) => ({
      lamports: reader.json64(),
      sourceSeed: seedOf(reader),
      sourceOwner: reader.address(),
    }),
  },
  { type: 'upgradeNonce', accounts: ['nonceAccount'] },
  { type: 'createAccountAllowPrefund', accounts: ['newAccount', 'source'], data: created },
];

const CREATE_ALLOW_PREFUND = 13;
/** Moves no lamports and therefore needs no source. */
const CREATE_PREFUNDED: Form = {
  type: 'createAccountAllowPrefund',
  accounts: ['newAccount'],
  data: (reader) => {
    const { space, owner } = created(reader);
    return { space, owner };
  },
};

/** Instructions with a base account, which Agave requires although it takes the base from the data. */
const NEEDS_BASE_ACCOUNT: ReadonlySet<string> = new Set(['allocateWithSeed', 'assignWithSeed']);

/** An instruction of the system program. Source: parse_system.rs of Agave's transaction-status. */
export function parseSystemInstruction(accounts: readonly string[], data: Uint8Array): Typed | null {
  const reader = new ByteReader(data);
  const code = reader.u32();
  if (code === CREATE_ALLOW_PREFUND && new ByteReader(data.subarray(4)).u64() === 0n)
    return inForm(CREATE_PREFUNDED, accounts, reader);
  const form = FORMS[code];
  if (form !== undefined && NEEDS_BASE_ACCOUNT.has(form.type) && accounts.length < 2) return null;
  return inForm(form, accounts, reader);
}

const NONCE_INITIALIZED = 1;

/**
 * A nonce account. One that is not initialized gives null, as of Agave 2.0: any allocated account of zeros would look like it.
 * Source: parse_nonce.rs of Agave's account-decoder.
 */
export function parseNonceAccount(data: Uint8Array): Typed | null {
  const reader = new ByteReader(data);
  const version = reader.u32();
  const state = reader.u32();
  if (version > 1 || state !== NONCE_INITIALIZED) return null;
  const info = {
    authority: reader.address(),
    blockhash: bs58.encode(reader.bytes(32)),
    feeCalculator: { lamportsPerSignature: reader.u64().toString() },
  };
  return reader.failed ? null : { type: 'initialized', info };
}
