import { BPF_LOADER, NATIVE_MINT, SYSVAR_OWNER, UPGRADEABLE_LOADER } from '../../chain/solana/addresses.js';
import type { Account } from '../../chain/engine.js';
import {
  PROGRAM_DATA_HEADER_BYTES,
  isProgramData,
  isProgramFile,
  programDataOf,
} from '../../chain/programs/deployed.js';

// Solana's own addresses, on engines that lack them too. Source: Agave's reserved_account_keys.
const RESERVED = new Set([
  '11111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  BPF_LOADER,
  UPGRADEABLE_LOADER,
  'ComputeBudget111111111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  NATIVE_MINT,
  'NativeLoader1111111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  SYSVAR_OWNER,
  'Vote111111111111111111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  'ZkTokenProof1111111111111111111111111111111',
]);

/** Whether an address is one of Solana's own programs or sysvars. */
export function isReserved(address: string): boolean {
  return RESERVED.has(address) || address.startsWith('Sysvar');
}

/** Whether an account is an upgradeable program whose executable data account is missing. */
export function lacksData(account: Account, dataAt: (address: string) => Account | null): boolean {
  const address = account.executable ? programDataOf(account) : null;
  if (address === null) return false;
  const data = dataAt(address);
  return data === null || !isProgramData(data);
}

const LOADERS = new Set(['BPFLoader1111111111111111111111111111111111', BPF_LOADER]);

/** Why an executable account cannot run, as the rest of a sentence; null when it can. */
export function notAProgram(account: Account, dataAt: (address: string) => Account | null): string | null {
  if (!account.executable) return null;
  if (LOADERS.has(account.owner))
    return isProgramFile(account.data) ? null : 'has no ELF file of a Solana program in its data';
  if (account.owner !== UPGRADEABLE_LOADER)
    return `is executable and its owner ${account.owner} is not a program loader`;
  const address = programDataOf(account);
  if (address === null) return 'is executable and not a program of its owner, the upgradeable loader';
  const data = dataAt(address);
  if (data === null || lacksData(account, dataAt))
    return `is an upgradeable program whose data, ${address}, is missing; give that account too (to clone both: --clone-upgradeable-program)`;
  return isProgramFile(data.data.subarray(PROGRAM_DATA_HEADER_BYTES))
    ? null
    : `is an upgradeable program and its data, ${address}, has no ELF file of a Solana program`;
}
