import { UPGRADEABLE_LOADER, addressOf } from '../solana/addresses.js';
import type { Account } from '../engine.js';

// Kinds of accounts of the upgradeable loader, and their sizes. Source: UpgradeableLoaderState of the Solana SDK.
const PROGRAM = 2;
const PROGRAM_DATA = 3;
const PROGRAM_BYTES = 36;
/** The kind, the slot of the deployment and the upgrade authority, before the executable. */
const PROGRAM_DATA_HEADER_BYTES = 45;
const SLOT_AT = 4;
const AUTHORITY_AT = 12;

function kindOf({ owner, data }: Account): number | null {
  if (owner !== UPGRADEABLE_LOADER || data.length < SLOT_AT) return null;
  return new DataView(data.buffer, data.byteOffset).getUint32(0, true);
}

/** Whether an account holds the executable of an upgradeable program. */
function isProgramData(account: Account): boolean {
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
 * An account that an engine wrote, as the chain has it. A program is executable, which bankrun does not store. The deployment
 * in a program's data is moved to slot 0: Agave does not run a program before its deployment slot, and an engine counts
 * other slots than the chain.
 */
export function asOnChain(account: Account): Account {
  if (programDataOf(account) !== null) return account.executable ? account : { ...account, executable: true };
  const isEarly = (data: Uint8Array) => data.subarray(SLOT_AT, AUTHORITY_AT).every((byte) => byte === 0);
  if (!isProgramData(account) || isEarly(account.data)) return account;
  const data = Uint8Array.from(account.data);
  data.fill(0, SLOT_AT, AUTHORITY_AT);
  return { ...account, data };
}
