import bs58 from 'bs58';
import type { AgentWallet } from '../../../sdk/client/wallet.js';

/** The largest transaction that a cluster accepts. Source: docs.solana.com, Transactions. */
export const PACKET_BYTES = 1_232;

/** What an instruction does with an account. */
export interface Role {
  readonly address: string;
  readonly signer?: boolean;
  readonly writable?: boolean;
}

export interface Instruction {
  readonly program: string;
  readonly accounts: readonly Role[];
  readonly data: Uint8Array;
}

/** What a transaction consists of. */
export interface Content {
  readonly version: 'legacy' | 0;
  readonly payer: string;
  /** A blockhash, or the value of a nonce. */
  readonly lifetime: string;
  readonly instructions: readonly Instruction[];
  /** An address lookup table that a v0 message takes addresses from; null for none. */
  readonly table: { readonly address: string; readonly addresses: readonly string[] } | null;
}

export interface Message {
  readonly version: Content['version'];
  readonly bytes: Uint8Array;
  /** All accounts in the order of their indices: those of the message, then loaded ones, writable before read-only. */
  readonly keys: readonly {
    readonly address: string;
    readonly signer: boolean;
    readonly writable: boolean;
  }[];
  readonly addresses: readonly string[];
  /** How many of them stand in the message; the others come from the lookup table. */
  readonly fixed: number;
  /** The message as JSON. */
  readonly json: object;
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
}

interface Indexed {
  readonly version: Content['version'];
  /** The three counts, in their order. */
  readonly header: Readonly<Record<string, number>>;
  readonly named: readonly { readonly address: string }[];
  readonly lifetime: string;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: Uint8Array;
  }[];
  readonly lookups: readonly {
    readonly accountKey: string;
    readonly writableIndexes: readonly number[];
    readonly readonlyIndexes: readonly number[];
  }[];
}

/** Solana's compact-u16. */
export function compactLength(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...compactLength(value >> 7)];
}

/** The roles of all accounts: an account is what the most demanding instruction needs. */
function rolesOf({ payer, instructions }: Content): Map<string, { signer: boolean; writable: boolean }> {
  const roles = new Map([[payer, { signer: true, writable: true }]]);
  for (const { program, accounts } of instructions) {
    for (const { address, signer = false, writable = false } of [...accounts, { address: program }]) {
      const known = roles.get(address) ?? { signer: false, writable: false };
      roles.set(address, { signer: known.signer || signer, writable: known.writable || writable });
    }
  }
  return roles;
}

function counted(numbers: readonly number[]): number[] {
  return [...compactLength(numbers.length), ...numbers];
}

function encoded({ version, header, named, lifetime, instructions, lookups }: Indexed): Uint8Array {
  const tables = lookups.flatMap(({ accountKey, writableIndexes, readonlyIndexes }) => [
    ...bs58.decode(accountKey),
    ...counted(writableIndexes),
    ...counted(readonlyIndexes),
  ]);
  return Uint8Array.from([
    ...(version === 0 ? [0x80] : []),
    ...Object.values(header),
    ...compactLength(named.length),
    ...named.flatMap(({ address }) => [...bs58.decode(address)]),
    ...bs58.decode(lifetime),
    ...compactLength(instructions.length),
    ...instructions.flatMap(({ programIdIndex, accounts, data }) => [
      programIdIndex,
      ...counted(accounts),
      ...counted([...data]),
    ]),
    ...(version === 0 ? [lookups.length, ...tables] : []),
  ]);
}

/** What can be wrong with a message that is signed all the same. */
export const FLAWS = ['program', 'noProgram', 'account', 'twice', 'place'] as const;
export type Flaw = (typeof FLAWS)[number];

/**
 * Compiles a message. Source: docs.solana.com, Message Header and Versioned Transactions. With a flaw the payer or nothing is named as a
 * program, an account that is not there, one account twice, or a place that the lookup table does not have.
 */
export function compiled(content: Content, flaw: Flaw | null = null): Message {
  const { version, lifetime, instructions, table } = content;
  const programs = new Set(instructions.map(({ program }) => program));
  const all = [...rolesOf(content)].map(([address, role]) => ({ address, ...role }));
  const places = version === 0 && table !== null ? table.addresses : [];
  const isLoaded = ({ address, signer }: (typeof all)[number]) =>
    !signer && !programs.has(address) && places.includes(address);
  const own = all.filter((key) => !isLoaded(key));
  const having = (list: typeof all, signer: boolean, writable: boolean) =>
    list.filter((key) => key.signer === signer && key.writable === writable);
  const fixed = [
    ...having(own, true, true),
    ...having(own, true, false),
    ...having(own, false, true),
    ...having(own, false, false),
  ];
  const taken = all.filter(isLoaded);
  const [writable, readonly] = [having(taken, false, true), having(taken, false, false)];
  const keys = [...fixed, ...writable, ...readonly];
  const indexOf = (address: string) => keys.findIndex((key) => key.address === address);
  const placeOf = (address: string) => (flaw === 'place' ? places.length : places.indexOf(address));
  const named = flaw === 'twice' ? [...fixed, ...fixed.slice(-1)] : fixed;
  const strange = flaw === 'account' ? [keys.length] : [];
  const lookups =
    taken.length === 0 || table === null
      ? []
      : [
          {
            accountKey: table.address,
            writableIndexes: writable.map(({ address }) => placeOf(address)),
            readonlyIndexes: readonly.map(({ address }) => placeOf(address)),
          },
        ];
  const header = {
    numRequiredSignatures: fixed.filter(({ signer }) => signer).length,
    numReadonlySignedAccounts: having(own, true, false).length,
    numReadonlyUnsignedAccounts: having(own, false, false).length,
  };
  const indexed = instructions.map(({ program, accounts, data }) => ({
    programIdIndex: flaw === 'program' ? 0 : flaw === 'noProgram' ? keys.length : indexOf(program),
    accounts: [...accounts.map(({ address }) => indexOf(address)), ...strange],
    data,
  }));
  const bytes = encoded({ version, header, named, lifetime, instructions: indexed, lookups });
  const addressesOf = (part: readonly { readonly address: string }[]) => part.map(({ address }) => address);
  return {
    version,
    bytes,
    keys,
    addresses: addressesOf(keys),
    fixed: fixed.length,
    json: {
      header,
      accountKeys: addressesOf(named),
      recentBlockhash: lifetime,
      instructions: indexed.map(({ data, ...rest }) => ({ ...rest, data: bs58.encode(data) })),
      ...(version === 0 ? { addressTableLookups: lookups } : {}),
    },
    loaded: { writable: addressesOf(writable), readonly: addressesOf(readonly) },
  };
}

/** A message with the signatures that it requires, in their order. Throws RangeError when a wallet is missing. */
export function signed({ bytes, keys }: Message, wallets: readonly AgentWallet[]): Uint8Array {
  const signers = keys.filter(({ signer }) => signer);
  const signatures = signers.flatMap(({ address }) => {
    const wallet = wallets.find((each) => each.address === address);
    if (wallet === undefined) throw new RangeError(`${address} cannot sign`);
    return [...wallet.sign(bytes)];
  });
  return Uint8Array.from([...compactLength(signers.length), ...signatures, ...bytes]);
}

/** Bytes that are no valid transaction, or not this one, made of one that is. */
export const DAMAGES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  signature: (bytes) => changedAt(bytes, 5, (byte) => byte ^ 1),
  last: (bytes) => bytes.subarray(0, -1),
  more: (bytes) => Uint8Array.from([...bytes, 0]),
  version: (bytes) => changedAt(bytes, headerAt(bytes) - 1, () => 0x81),
  unsigned: (bytes) => changedAt(bytes, headerAt(bytes), () => 0),
  readonlyPayer: (bytes) => changedAt(bytes, headerAt(bytes) + 1, () => bytes[headerAt(bytes)] as number),
  header: (bytes) => changedAt(bytes, headerAt(bytes) + 2, () => 0x7f),
  lessSignatures: (bytes) =>
    Uint8Array.from([...compactLength((bytes[0] as number) - 1), ...bytes.subarray(65)]),
};

/** Where the header begins. Of a legacy message it is the first byte, and the version would stand in its place. */
function headerAt(bytes: Uint8Array): number {
  const first = 1 + 64 * (bytes[0] as number);
  return (bytes[first] as number) >= 0x80 ? first + 1 : first;
}

function changedAt(bytes: Uint8Array, at: number, change: (byte: number) => number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] = change(bytes[at] as number);
  return changed;
}
