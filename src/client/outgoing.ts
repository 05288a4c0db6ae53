import {
  NATIVE_MINT,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

/** Something that a transaction of a wallet does. Amounts are base units; addresses are wallets, not token accounts. */
export type Outgoing =
  | { readonly kind: 'sol'; readonly to: string; readonly amountBase: bigint }
  | {
      readonly kind: 'token';
      readonly to: string;
      readonly amountBase: bigint;
      /** A mint with six decimals, as USDC has. */
      readonly mint: string;
      /** Whose tokens they are, when the wallet is a delegate; its own when left out. */
      readonly from?: string;
    }
  /** Lamports as wrapped SOL, into the recipient's token account. */
  | { readonly kind: 'wrapped'; readonly to: string; readonly amountBase: bigint }
  /** Lets another wallet send so many of the wallet's tokens. */
  | {
      readonly kind: 'approve';
      readonly delegate: string;
      readonly amountBase: bigint;
      readonly mint: string;
    };

/** Who can sign. */
export interface Signer {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

const DECIMALS = 6;
const UNITS_EACH = 60_000;
const UNITS_AT_LEAST = 200_000;
const DISTINCT = 100_000;

/** Working out a token account takes as long as signing; wallets send to the same few. */
const KEPT_ACCOUNTS = 1_000;
const accounts = new Map<string, PublicKey>();

function tokenAccount(mint: PublicKey, owner: PublicKey): PublicKey {
  const id = `${owner.toBase58()}/${mint.toBase58()}`;
  const known = accounts.get(id);
  if (known !== undefined) return known;
  const account = getAssociatedTokenAddressSync(mint, owner, true);
  if (accounts.size >= KEPT_ACCOUNTS) accounts.clear();
  accounts.set(id, account);
  return account;
}

function instructions(wallet: PublicKey, outgoing: Outgoing): TransactionInstruction[] {
  const { amountBase } = outgoing;
  if (outgoing.kind === 'approve') {
    const mint = new PublicKey(outgoing.mint);
    const source = tokenAccount(mint, wallet);
    return [createApproveInstruction(source, new PublicKey(outgoing.delegate), wallet, amountBase)];
  }
  const to = new PublicKey(outgoing.to);
  if (outgoing.kind === 'sol')
    return [SystemProgram.transfer({ fromPubkey: wallet, toPubkey: to, lamports: amountBase })];
  const mint = outgoing.kind === 'wrapped' ? NATIVE_MINT : new PublicKey(outgoing.mint);
  const target = tokenAccount(mint, to);
  const open = createAssociatedTokenAccountIdempotentInstruction(wallet, target, to, mint);
  if (outgoing.kind === 'wrapped') {
    const fill = SystemProgram.transfer({ fromPubkey: wallet, toPubkey: target, lamports: amountBase });
    return [open, fill, createSyncNativeInstruction(target)];
  }
  const owner = outgoing.from === undefined ? wallet : new PublicKey(outgoing.from);
  const source = tokenAccount(mint, owner);
  return [open, createTransferCheckedInstruction(source, mint, target, wallet, amountBase, DECIMALS)];
}

/** The instructions for all of it. Two equal lists under one blockhash would be one transaction: `number` tells them apart. */
export function instructionsOf(
  address: string,
  outgoing: readonly Outgoing[],
  number: number,
): TransactionInstruction[] {
  const wallet = new PublicKey(address);
  const units = Math.max(UNITS_AT_LEAST, outgoing.length * UNITS_EACH) + (number % DISTINCT);
  return [
    ComputeBudgetProgram.setComputeUnitLimit({ units }),
    ...outgoing.flatMap((each) => instructions(wallet, each)),
  ];
}

/** A serialized transaction, signed by wallets of which the first pays the fee. Only those that it needs sign. */
export function signed(
  wallets: readonly Signer[],
  list: readonly TransactionInstruction[],
  recentBlockhash: string,
): Uint8Array {
  const [payer] = wallets as [Signer];
  const payerKey = new PublicKey(payer.address);
  const message = new TransactionMessage({ payerKey, recentBlockhash, instructions: [...list] });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  const { numRequiredSignatures } = transaction.message.header;
  const required = new Set(
    transaction.message.staticAccountKeys.slice(0, numRequiredSignatures).map((key) => key.toBase58()),
  );
  const bytes = transaction.message.serialize();
  for (const wallet of wallets) {
    if (required.has(wallet.address))
      transaction.addSignature(new PublicKey(wallet.address), wallet.sign(bytes));
  }
  return transaction.serialize();
}
