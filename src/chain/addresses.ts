import bs58 from 'bs58';

/** Maximum entries of each base58 cache; it is cleared when full. */
const MEMO_LIMIT = 50_000;

const toText = new Map<string, string>();
const toBytes = new Map<string, Uint8Array>();

/** The base58 form of 32 bytes, cached, since encoding costs microseconds and addresses recur. */
export function addressOf(bytes: Uint8Array): string {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const known = toText.get(key);
  if (known !== undefined) return known;
  const text = bs58.encode(bytes);
  if (toText.size >= MEMO_LIMIT) toText.clear();
  toText.set(key, text);
  return text;
}

/** Like `addressOf`, and also caches the way back for `bytesOf`. `bytes` must not change. */
export function rememberAddress(bytes: Uint8Array): string {
  const text = addressOf(bytes);
  if (toBytes.size >= MEMO_LIMIT) toBytes.clear();
  toBytes.set(text, bytes);
  return text;
}

/** The 32 bytes of an address. Throws for text that is not base58 of 32 bytes. */
export function bytesOf(address: string): Uint8Array {
  const known = toBytes.get(address);
  if (known !== undefined) return known;
  const bytes = bs58.decode(address);
  if (bytes.length !== 32) throw new RangeError(`not an address: ${address}`);
  if (toBytes.size >= MEMO_LIMIT) toBytes.clear();
  toBytes.set(address, bytes);
  return bytes;
}

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
/** The loader that owns non-upgradeable programs. */
export const BPF_LOADER = 'BPFLoader2111111111111111111111111111111111';
/** The loader that owns upgradeable programs and their data. */
export const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
export const SYSVARS = {
  clock: 'SysvarC1ock11111111111111111111111111111111',
  epochRewards: 'SysvarEpochRewards1111111111111111111111111',
  epochSchedule: 'SysvarEpochSchedu1e111111111111111111111111',
  fees: 'SysvarFees111111111111111111111111111111111',
  lastRestartSlot: 'SysvarLastRestartS1ot1111111111111111111111',
  recentBlockhashes: 'SysvarRecentB1ockHashes11111111111111111111',
  rent: 'SysvarRent111111111111111111111111111111111',
  rewards: 'SysvarRewards111111111111111111111111111111',
  slotHashes: 'SysvarS1otHashes111111111111111111111111111',
  slotHistory: 'SysvarS1otHistory11111111111111111111111111',
  stakeHistory: 'SysvarStakeHistory1111111111111111111111111',
} as const;
export const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
