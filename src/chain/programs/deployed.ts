import { UPGRADEABLE_LOADER, addressOf, bytesOf, programDerivedAddress } from '../solana/addresses.js';
import type { Account } from '../engine.js';
import { rentExemptLamports } from '../solana/token-accounts.js';

// Kinds of accounts of the upgradeable loader, and their sizes. Source: UpgradeableLoaderState of the Solana SDK.
const PROGRAM = 2;
const PROGRAM_DATA = 3;
const PROGRAM_BYTES = 36;
/** The kind, the slot of the deployment and the upgrade authority, before the executable. */
export const PROGRAM_DATA_HEADER_BYTES = 45;
const SLOT_AT = 4;
const AUTHORITY_AT = 12;

// Solana's programs are 64-bit little-endian ELF files for one of these machines. Source: the linker's EM_BPF and EM_SBPF.
const ELF = Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1);
const MACHINE_AT = 18;
const MACHINES = new Set([247, 263]);
const ELF_HEADER_BYTES = 64;

function kindOf({ owner, data }: Account): number | null {
  if (owner !== UPGRADEABLE_LOADER || data.length < SLOT_AT) return null;
  return new DataView(data.buffer, data.byteOffset).getUint32(0, true);
}

/** Whether an account holds the executable of an upgradeable program. */
export function isProgramData(account: Account): boolean {
  return kindOf(account) === PROGRAM_DATA && account.data.length >= PROGRAM_DATA_HEADER_BYTES;
}

/** Whether engines compile this account, or a program from it. */
export function isOfProgram(account: Account | null): boolean {
  return account !== null && (account.executable || isProgramData(account));
}

/** The address of an upgradeable program's data; null for any other account. */
export function programDataOf(account: Account): string | null {
  if (kindOf(account) !== PROGRAM || account.data.length < PROGRAM_BYTES) return null;
  return addressOf(account.data.slice(SLOT_AT, PROGRAM_BYTES));
}

/**
 * An account as the chain has it: a program is executable, which bankrun does not store, and its deployment is moved to
 * slot 0, as in clones of solana-test-validator. Agave does not run a program before its deployment slot, and an engine or
 * another cluster counts other slots.
 */
export function deployedAtGenesis(account: Account): Account {
  if (programDataOf(account) !== null) return account.executable ? account : { ...account, executable: true };
  const isEarly = (data: Uint8Array) => data.subarray(SLOT_AT, AUTHORITY_AT).every((byte) => byte === 0);
  if (!isProgramData(account) || isEarly(account.data)) return account;
  const data = Uint8Array.from(account.data);
  data.fill(0, SLOT_AT, AUTHORITY_AT);
  return { ...account, data };
}

/** Whether bytes begin as the ELF file of a Solana program does. */
export function isProgramFile(bytes: Uint8Array): boolean {
  if (bytes.length < ELF_HEADER_BYTES || !ELF.every((byte, at) => bytes[at] === byte)) return false;
  return MACHINES.has(new DataView(bytes.buffer, bytes.byteOffset).getUint16(MACHINE_AT, true));
}

/** The accounts of an upgradeable program; without an authority it is immutable. */
export function deployedProgram(
  address: string,
  executable: Uint8Array,
  authority: string | null,
): Map<string, Account> {
  const dataAddress = programDerivedAddress([address], UPGRADEABLE_LOADER);
  const program = new Uint8Array(PROGRAM_BYTES);
  program[0] = PROGRAM;
  program.set(bytesOf(dataAddress), SLOT_AT);
  const data = new Uint8Array(PROGRAM_DATA_HEADER_BYTES + executable.length);
  data[0] = PROGRAM_DATA;
  if (authority !== null) {
    data[AUTHORITY_AT] = 1;
    data.set(bytesOf(authority), AUTHORITY_AT + 1);
  }
  data.set(executable, PROGRAM_DATA_HEADER_BYTES);
  const account = (bytes: Uint8Array, isExecutable: boolean): Account => ({
    lamports: rentExemptLamports(bytes.length),
    data: bytes,
    owner: UPGRADEABLE_LOADER,
    executable: isExecutable,
  });
  return new Map([
    [dataAddress, account(data, false)],
    [address, account(program, true)],
  ]);
}
