import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './addresses.js';
import { u64Amount } from './layout.js';
import { associatedTokenAddress } from './token-accounts.js';
import type { AccountMeta, Instruction } from './wire.js';

const readonly = (address: string): AccountMeta => ({ address, signer: false, writable: false });
const writable = (address: string): AccountMeta => ({ address, signer: false, writable: true });
const signing = (address: string, isWritable: boolean): AccountMeta => ({
  address,
  signer: true,
  writable: isWritable,
});

/** The numbers of instructions in their data. */
export const TRANSFER_LAMPORTS = 2;
export const TRANSFER_CHECKED = 12;
export const COMPUTE_UNIT_LIMIT = 2;

/** System program: moves lamports. */
export function transferLamports(from: string, to: string, lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  const view = new DataView(data.buffer);
  view.setUint32(0, TRANSFER_LAMPORTS, true);
  view.setBigUint64(4, u64Amount(lamports), true);
  return { program: SYSTEM_PROGRAM, accounts: [signing(from, true), writable(to)], data };
}

/** Token program: TransferChecked between associated token accounts, signed by the owner or a delegate. */
export function transferTokens(
  from: string,
  to: string,
  token: { mint: string; amountBase: bigint; decimals: number },
  authority = from,
): Instruction {
  const data = new Uint8Array(10);
  data[0] = TRANSFER_CHECKED;
  new DataView(data.buffer).setBigUint64(1, u64Amount(token.amountBase), true);
  data[9] = token.decimals;
  const accounts = [
    writable(associatedTokenAddress(from, token.mint)),
    readonly(token.mint),
    writable(associatedTokenAddress(to, token.mint)),
    signing(authority, false),
  ];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Token program: Approve. The delegate may transfer up to that amount from the owner's associated token account. */
export function approveTokens(
  owner: string,
  delegate: string,
  mint: string,
  amountBase: bigint,
): Instruction {
  const data = new Uint8Array(9);
  data[0] = 4;
  new DataView(data.buffer).setBigUint64(1, u64Amount(amountBase), true);
  const accounts = [writable(associatedTokenAddress(owner, mint)), readonly(delegate), signing(owner, false)];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Token program: SyncNative. Updates a wrapped-SOL account to the lamports that were sent to it. */
export function syncNative(account: string): Instruction {
  return { program: TOKEN_PROGRAM, accounts: [writable(account)], data: Uint8Array.of(17) };
}

/** Token program: MintTo an associated token account. */
export function mintTokens(authority: string, to: string, mint: string, amountBase: bigint): Instruction {
  const data = new Uint8Array(9);
  data[0] = 7;
  new DataView(data.buffer).setBigUint64(1, u64Amount(amountBase), true);
  const accounts = [writable(mint), writable(associatedTokenAddress(to, mint)), signing(authority, false)];
  return { program: TOKEN_PROGRAM, accounts, data };
}

/** Associated token program: CreateIdempotent. */
export function createTokenAccount(payer: string, owner: string, mint: string): Instruction {
  const accounts = [
    signing(payer, true),
    writable(associatedTokenAddress(owner, mint)),
    readonly(owner),
    readonly(mint),
    readonly(SYSTEM_PROGRAM),
    readonly(TOKEN_PROGRAM),
  ];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: Uint8Array.of(1) };
}

/**
 * Compute budget program: SetComputeUnitLimit. The bank varies it so that equal transfers differ in their bytes. The program ignores
 * accounts, so that the signatures of `signers` are required and do nothing else.
 */
export function computeUnitLimit(units: number, signers: readonly string[] = []): Instruction {
  const data = new Uint8Array(5);
  data[0] = COMPUTE_UNIT_LIMIT;
  new DataView(data.buffer).setUint32(1, units, true);
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: signers.map((each) => signing(each, false)), data };
}
