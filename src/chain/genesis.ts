import {
  BPF_LOADER,
  MEMO_PROGRAM,
  MEMO_V4_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
} from './solana/addresses.js';
import type { Account } from './engine.js';
import { memoProgram } from './programs/memo.js';
import {
  associatedTokenAddress,
  mintAccount,
  rentExemptLamports,
  tokenAccount,
} from './solana/token-accounts.js';

/** The USDC mints of both clusters; both exist here, since official clients hard-code them. Source: Circle. */
export const USDC_MINTS = {
  mainnet: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  devnet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
} as const;

/** Genesis hashes of both clusters; their CAIP-2 names begin with them. Source: getGenesisHash of both. */
export const GENESIS_HASHES = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
} as const;

/** The mint that represents SOL in x402 messages: wrapped SOL. */
export const SOL_ASSET = NATIVE_MINT;

const SOL = 1_000_000_000n;
const USDC = 1_000_000n;

/** A wallet's holdings at genesis: lamports, and USDC of both mints. */
export interface GenesisWallet {
  readonly address: string;
  readonly lamports: bigint;
  readonly usdcBase: bigint;
}

/** The funds at genesis. The sum of lamports stays under the million SOL of bankrun's own payer. */
export const GENESIS_FUNDS = {
  treasury: { lamports: 50_000n * SOL, usdcBase: 10_000_000n * USDC },
  protocol: { lamports: 200_000n * SOL, usdcBase: 1_000_000_000n * USDC },
  faucet: { lamports: 500_000n * SOL, usdcBase: 0n },
  devWallet: { lamports: 1_000n * SOL, usdcBase: 100_000n * USDC },
} as const;

/** The addresses at which clients expect the memo program; the second belongs to its newest version. */
const MEMO_ADDRESSES = [MEMO_PROGRAM, MEMO_V4_PROGRAM];

/** The memo program, the same build on every engine, at all its addresses. Cheap in compute units: see `programs/memo.ts`. */
export function memoPrograms(): Map<string, Account> {
  const data = memoProgram();
  const program = { lamports: rentExemptLamports(data.length), data, owner: BPF_LOADER, executable: true };
  return new Map(MEMO_ADDRESSES.map((address) => [address, program]));
}

/** A wallet account: lamports and no data. */
export function walletAccount(lamports: bigint): Account {
  return { lamports, data: new Uint8Array(0), owner: SYSTEM_PROGRAM, executable: false };
}

/** All accounts that exist before the first transaction: mints, wallets and their token accounts. */
export function genesisAccounts(
  mintAuthority: string,
  wallets: readonly GenesisWallet[],
): Map<string, Account> {
  const accounts = new Map<string, Account>();
  const supply = wallets.reduce((sum, wallet) => sum + wallet.usdcBase, 0n);
  for (const mint of Object.values(USDC_MINTS)) {
    accounts.set(mint, mintAccount(mintAuthority, supply, 6));
    for (const { address, usdcBase } of wallets) {
      accounts.set(associatedTokenAddress(address, mint), tokenAccount(mint, address, usdcBase));
    }
  }
  for (const { address, lamports } of wallets) accounts.set(address, walletAccount(lamports));
  return accounts;
}
