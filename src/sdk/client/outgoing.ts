import { NATIVE_MINT } from '../../chain/addresses.js';
import {
  approveTokens,
  associatedTokenAddress,
  computeUnitLimit,
  createTokenAccount,
  syncNative,
  transferLamports,
  transferTokens,
} from '../../chain/tokens.js';
import { type Instruction, type TransactionSigner, buildTransaction } from '../../chain/wire.js';

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

const DECIMALS = 6;
const UNITS_EACH = 60_000;
const UNITS_AT_LEAST = 200_000;
const DISTINCT = 100_000;

function instructions(wallet: string, outgoing: Outgoing): Instruction[] {
  const { kind, amountBase } = outgoing;
  if (kind === 'approve') return [approveTokens(wallet, outgoing.delegate, outgoing.mint, amountBase)];
  const { to } = outgoing;
  if (kind === 'sol') return [transferLamports(wallet, to, amountBase)];
  if (kind === 'wrapped') {
    const target = associatedTokenAddress(to, NATIVE_MINT);
    return [
      createTokenAccount(wallet, to, NATIVE_MINT),
      transferLamports(wallet, target, amountBase),
      syncNative(target),
    ];
  }
  const { mint, from = wallet } = outgoing;
  return [
    createTokenAccount(wallet, to, mint),
    transferTokens(from, to, { mint, amountBase, decimals: DECIMALS }, wallet),
  ];
}

/**
 * A serialized transaction of all of it, signed by those of the wallets that it needs; the first pays the fee. Two equal lists
 * under one blockhash would be one transaction: `number` tells them apart. Throws RangeError for an address that is none, and
 * for more than a transaction holds.
 */
export function outgoingTransaction(
  wallets: readonly [TransactionSigner, ...TransactionSigner[]],
  outgoing: readonly Outgoing[],
  { number, blockhash }: { readonly number: number; readonly blockhash: string },
): Uint8Array {
  const { address } = wallets[0];
  const units = Math.max(UNITS_AT_LEAST, outgoing.length * UNITS_EACH) + (number % DISTINCT);
  const list = [computeUnitLimit(units), ...outgoing.flatMap((each) => instructions(address, each))];
  return buildTransaction(list, wallets, blockhash);
}
