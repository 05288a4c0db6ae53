import { type ChainBackend, type ChainReads, OutcomeUnknown, asUnreachable } from '../chain/backend.js';
import type { Account } from '../chain/engine.js';
import type { Submission } from '../chain/submission.js';
import { changeAt } from '../chain/effects.js';
import { errorSentence } from '../chain/solana/errors.js';
import { MAX_U64 } from '../chain/solana/layout.js';
import { associatedTokenAddress } from '../chain/solana/token-accounts.js';
import {
  computeUnitLimit,
  createTokenAccount,
  transferLamports,
  transferTokens,
} from '../chain/solana/instructions.js';
import { WrongPrediction } from '../chain/prediction.js';
import { type Instruction, type WireTransaction, compileTransaction } from '../chain/solana/wire.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { DECIMALS, type Token } from '../core/domain/money.js';
import type { KeyPair } from '../world/keys.js';
import { Cell } from '../core/snapshot.js';
import type { BankAddresses } from './addresses.js';
import type { UnconfirmedTransfer, Purpose } from './in-flight-work.js';

// Enough for a transfer and the creation of a token account (measured: under 35,000), with room for the variation below.
const UNIT_LIMIT = 100_000;
const UNIT_VARIATIONS = 100_000;

/** A transfer made by the bank with its own keys. The treasury pays the fee. */
export interface Transfer {
  readonly from: KeyPair;
  readonly to: string;
  readonly token: Token;
  readonly amountBase: bigint;
  readonly purpose: Purpose;
  readonly cause: RequestContext;
}

/**
 * The outcome of a transfer. `costLamports` is what the treasury paid in addition to the amount: fee and rent. The
 * signature is missing when the transaction did not run and cost nothing.
 */
export type KnownOutcome =
  | {
      readonly kind: 'done';
      readonly signature: string;
      readonly slot: number;
      readonly costLamports: bigint;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly signature: string | null;
      readonly costLamports: bigint;
      /** Whether the chain rejected this transfer, or could not accept any transfer. */
      readonly cause: 'transfer' | 'chain';
    };

/** A transfer and its outcome: null if it was sent and its outcome is unknown; query `outcomeOf` later. */
export type TransferResult =
  | { readonly booking: UnconfirmedTransfer; readonly outcome: KnownOutcome }
  | { readonly booking: UnconfirmedTransfer; readonly outcome: null; readonly signature: string };

/** A transaction of the bank before its chain is read. */
interface Plan {
  readonly instruction: Instruction;
  readonly signers: readonly KeyPair[];
  /** The wallet that receives USDC: its token account is created when it is missing. Null for none. */
  readonly receiver: string | null;
  readonly booking: UnconfirmedTransfer;
}

/** The cost of a transfer for the treasury that paid `paid`: lamports received reduce it. */
export function costOf(token: Token, paid: bigint, outcome: KnownOutcome): bigint {
  const isIncoming = outcome.kind === 'done' && token === 'SOL' && paid < 0n;
  return isIncoming ? outcome.costLamports - paid : outcome.costLamports;
}

/** The outcome of a transfer that did not run. */
function notRun(reason: string, cause: 'transfer' | 'chain' = 'chain'): KnownOutcome {
  return { kind: 'failed', reason, signature: null, costLamports: 0n, cause };
}

/** Compiles, signs and submits the bank's own transactions. */
export class Transfers {
  readonly #chain: ChainBackend;
  readonly #addresses: BankAddresses;
  readonly sent = new Cell(0);
  /** Submitted transfers by signature, until their outcome is booked. */
  readonly #underWay = new Map<string, UnconfirmedTransfer>();

  constructor(chain: ChainBackend, addresses: BankAddresses) {
    this.#chain = chain;
    this.#addresses = addresses;
  }

  /** Whether a wallet has its associated token account for USDC. */
  async hasTokenAccount(owner: string): Promise<boolean> {
    return (await this.#account(associatedTokenAddress(owner, this.#addresses.usdcMint))) !== null;
  }

  async lamportsOf(address: string): Promise<bigint> {
    return (await this.#account(address))?.lamports ?? 0n;
  }

  async #account(address: string): Promise<Account | null> {
    return this.#chain.reading({ account: address }, (reads) => reads.account(address));
  }

  /** Transfers tokens on chain; creates the recipient's token account when it is missing. Equal transfers stay distinct. */
  send({ from, to, token, amountBase, purpose, cause }: Transfer): Promise<TransferResult> {
    const { treasury, usdcMint: mint } = this.#addresses;
    const movedLamports = token === 'SOL' && from === treasury ? amountBase : 0n;
    const booking = { purpose, cause, movedLamports };
    if (amountBase > MAX_U64) {
      const outcome = notRun('the amount is more than an account can hold', 'transfer');
      return Promise.resolve({ booking, outcome });
    }
    return this.#run({
      instruction:
        token === 'SOL'
          ? transferLamports(from.address, to, amountBase)
          : transferTokens(from.address, to, { mint, amountBase, decimals: DECIMALS.USDC }),
      signers: from === treasury ? [treasury] : [treasury, from],
      receiver: token === 'SOL' ? null : to,
      booking,
    });
  }

  /** The outcome of a transfer whose outcome was unknown; null while it still is. */
  async outcomeOf(signature: string, { movedLamports }: UnconfirmedTransfer): Promise<KnownOutcome | null> {
    const submission = await this.#chain.outcomeOf(signature);
    return submission === null ? null : this.#outcome(submission, movedLamports);
  }

  /** Creates a wallet's USDC token account. */
  createTokenAccount(owner: string, cause: RequestContext): Promise<TransferResult> {
    const { treasury, usdcMint } = this.#addresses;
    return this.#run({
      instruction: createTokenAccount(treasury.address, owner, usdcMint),
      signers: [treasury],
      receiver: null,
      booking: { purpose: { kind: 'account', owner }, cause, movedLamports: 0n },
    });
  }

  async #run(plan: Plan): Promise<TransferResult> {
    const { receiver, booking } = plan;
    const account =
      receiver === null ? {} : { account: associatedTokenAddress(receiver, this.#addresses.usdcMint) };
    let wire: WireTransaction;
    try {
      const wanted = { ...account, blockhash: true } as const;
      wire = await this.#chain.reading(wanted, (reads) => this.#compile(plan, reads));
    } catch (error) {
      return { booking, outcome: notRun(asUnreachable(error).message) };
    }
    const { signature } = wire;
    this.#underWay.set(signature, booking);
    let submission: Submission;
    try {
      submission = await this.#chain.submitOwn(wire, { cause: booking.cause });
    } catch (error) {
      this.#underWay.delete(signature);
      if (error instanceof WrongPrediction) throw error;
      if (error instanceof OutcomeUnknown) return { booking, outcome: null, signature };
      return { booking, outcome: notRun((error as Error).message) };
    }
    const outcome = this.#outcome(submission, booking.movedLamports);
    // One that did not run leaves nothing to book.
    if (outcome.signature === null && booking.purpose.kind !== 'savings') this.#underWay.delete(signature);
    return { booking, outcome };
  }

  #compile({ instruction, signers, receiver }: Plan, reads: ChainReads): WireTransaction {
    const { treasury, usdcMint } = this.#addresses;
    this.sent.value += 1;
    const instructions = [computeUnitLimit(UNIT_LIMIT + (this.sent.value % UNIT_VARIATIONS))];
    if (receiver !== null && reads.account(associatedTokenAddress(receiver, usdcMint)) === null)
      instructions.push(createTokenAccount(treasury.address, receiver, usdcMint));
    return compileTransaction([...instructions, instruction], signers, reads.blockhash());
  }

  #outcome(submission: Submission, movedLamports: bigint): KnownOutcome {
    if (submission.kind === 'refused') {
      // Errors with fields concern the transfer itself; plain names concern the payer, the bank itself.
      const cause = typeof submission.error === 'string' ? 'chain' : 'transfer';
      return notRun(errorSentence(submission.error), cause);
    }
    const { error, signature, slot } = submission.record;
    const { treasury, usdcMint } = this.#addresses;
    const spent = -changeAt(submission.record, treasury.address, usdcMint).SOL;
    if (error === null) return { kind: 'done', signature, slot, costLamports: spent - movedLamports };
    const reason = errorSentence(error);
    return { kind: 'failed', reason, signature, costLamports: spent, cause: 'transfer' };
  }

  /** Transfers whose outcome is not on the books. */
  underWay(): (readonly [string, UnconfirmedTransfer])[] {
    return [...this.#underWay];
  }

  isUnderWay(signature: string): boolean {
    return this.#underWay.has(signature);
  }

  /** Called with each transfer that has run, immediately before its entry is appended. */
  booked(signature: string): void {
    this.#underWay.delete(signature);
  }

  /** Called once the entry for moved savings is appended. */
  savingsAreBooked(): void {
    for (const [signature, { purpose }] of this.#underWay)
      if (purpose.kind === 'savings') this.#underWay.delete(signature);
  }
}
