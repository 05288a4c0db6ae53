import { NATIVE_MINT } from '../../chain/solana/addresses.js';
import {
  approveTokens,
  computeUnitLimit,
  createTokenAccount,
  syncNative,
  transferLamports,
  transferTokens,
} from '../../chain/solana/instructions.js';
import { associatedTokenAddress } from '../../chain/solana/token-accounts.js';
import { type Instruction, type TransactionSigner, buildTransaction } from '../../chain/solana/wire.js';

/** An action of a wallet's transaction. Amounts are in base units; addresses are wallets, not token accounts. */
export type Outgoing =
  | { readonly kind: 'sol'; readonly to: string; readonly amountBase: bigint }
  | {
      readonly kind: 'token';
      readonly to: string;
      readonly amountBase: bigint;
      /** A mint with six decimals, like USDC. */
      readonly mint: string;
      /** The owner of the tokens: a cosigner, or an owner that has approved the wallet as delegate; the wallet itself when left out. */
      readonly from?: string;
    }
  /** Lamports as wrapped SOL, to the recipient's token account. */
  | { readonly kind: 'wrapped'; readonly to: string; readonly amountBase: bigint }
  /** Allows another wallet to send up to an amount of the wallet's tokens. */
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

/** `signers` are the wallet and its cosigners. */
function instructions(signers: readonly [string, ...string[]], outgoing: Outgoing): Instruction[] {
  const [wallet] = signers;
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
    transferTokens(
      from,
      to,
      { mint, amountBase, decimals: DECIMALS },
      signers.includes(from) ? from : wallet,
    ),
  ];
}

/**
 * A serialized transaction with all actions, signed by all wallets; the first pays the fee. Equal lists with the same blockhash would be
 * the same transaction unless their `number` differs. Throws RangeError for an invalid address, and for more actions than a transaction can
 * hold.
 */
export function outgoingTransaction(
  wallets: readonly [TransactionSigner, ...TransactionSigner[]],
  outgoing: readonly Outgoing[],
  { number, blockhash }: { readonly number: number; readonly blockhash: string },
): Uint8Array {
  const [{ address }, ...cosigners] = wallets;
  const signers = [address, ...cosigners.map((each) => each.address)] as const;
  const units = Math.max(UNITS_AT_LEAST, outgoing.length * UNITS_EACH) + (number % DISTINCT);
  const list = [
    computeUnitLimit(units, signers.slice(1)),
    ...outgoing.flatMap((each) => instructions(signers, each)),
  ];
  return buildTransaction(list, wallets, blockhash);
}
