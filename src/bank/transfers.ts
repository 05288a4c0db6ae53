import { type ChainBackend, OutcomeUnknown, asUnreachable } from '../chain/backend.js';
import type { Account } from '../chain/engine.js';
import type { Submission } from '../chain/submission.js';
import { changeAt } from '../chain/effects.js';
import { LAMPORTS_PER_SIGNATURE } from '../chain/fees.js';
import { errorSentence } from '../chain/solana/errors.js';
import type { TransactionRecord } from '../chain/history.js';
import { associatedTokenAddress } from '../chain/solana/token-accounts.js';
import {
  computeUnitLimit,
  createTokenAccount,
  transferLamports,
  transferTokens,
} from '../chain/solana/instructions.js';
import { type ExpectedChanges, WrongPrediction } from '../chain/prediction.js';
import { type Instruction, compileTransaction } from '../chain/solana/wire.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { DECIMALS, type Token } from '../core/domain/money.js';
import type { KeyPair } from '../world/keys.js';
import { Cell } from '../core/snapshot.js';
import type { BankAddresses } from './addresses.js';
import type { UnconfirmedTransfer, Purpose } from './in-flight-work.js';

// Enough for a transfer and the creation of a token account (measured: under 35,000), with room for the variation below.
const UNIT_LIMIT = 100_000;
const UNIT_VARIATIONS = 100_000;

function move(changes: Map<string, bigint>, by: { from: string; to: string; amountBase: bigint }): void {
  changes.set(by.from, (changes.get(by.from) ?? 0n) - by.amountBase);
  changes.set(by.to, (changes.get(by.to) ?? 0n) + by.amountBase);
}

/** A transfer made by the bank with its own keys. The treasury pays the fee. */
export interface Transfer {
  readonly from: KeyPair;
  readonly to: string;
  readonly token: Token;
  readonly amountBase: bigint;
  readonly purpose: Purpose;
  readonly cause: RequestContext;
  /** Called with the transaction's signature when it has been submitted, before its outcome is known. */
  readonly onSubmitted?: ((signature: string) => void) | undefined;
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

/** The outcome of a transfer; if it was sent and its outcome is unknown, query `outcomeOf` later. */
export type TransferOutcome =
  | KnownOutcome
  | {
      readonly kind: 'unknown';
      readonly signature: string;
      /** Lamports that it transfers, without its cost. */
      readonly movedLamports: bigint;
      readonly costLamports: 0n;
    };

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
  async send(transfer: Transfer): Promise<TransferOutcome> {
    try {
      const hasTokenAccount = transfer.token === 'SOL' || (await this.hasTokenAccount(transfer.to));
      return await this.#send(transfer, hasTokenAccount);
    } catch (error) {
      return notRun(asUnreachable(error).message);
    }
  }

  /** Queries the outcome of a transfer with unknown outcome. */
  async outcomeOf(signature: string, movedLamports: bigint): Promise<TransferOutcome> {
    const submission = await this.#chain.outcomeOf(signature);
    if (submission === null) return { kind: 'unknown', signature, movedLamports, costLamports: 0n };
    return this.#outcome(submission, movedLamports);
  }

  #send(transfer: Transfer, hasTokenAccount: boolean): Promise<TransferOutcome> {
    const { from, to, token, amountBase } = transfer;
    const treasury = this.#addresses.treasury;
    const mint = this.#addresses.usdcMint;
    const instructions: Instruction[] = [];
    const lamports = new Map<string, bigint>();
    const tokens = new Map<string, bigint>();
    if (token === 'SOL') {
      instructions.push(transferLamports(from.address, to, amountBase));
      move(lamports, { from: from.address, to, amountBase });
    } else {
      if (!hasTokenAccount) instructions.push(createTokenAccount(treasury.address, to, mint));
      instructions.push(transferTokens(from.address, to, { mint, amountBase, decimals: DECIMALS.USDC }));
      const [source, target] = [associatedTokenAddress(from.address, mint), associatedTokenAddress(to, mint)];
      move(tokens, { from: source, to: target, amountBase });
    }
    const signers = from === treasury ? [treasury] : [treasury, from];
    const fee = LAMPORTS_PER_SIGNATURE * BigInt(signers.length);
    lamports.set(treasury.address, (lamports.get(treasury.address) ?? 0n) - fee);
    const movedLamports = token === 'SOL' && from === treasury ? amountBase : 0n;
    const { onSubmitted, cause, purpose } = transfer;
    return this.#run(instructions, signers, {
      movedLamports,
      changes: { lamports, tokens },
      purpose,
      cause,
      onSubmitted,
    });
  }

  /** Creates a wallet's USDC token account. */
  async createTokenAccount(owner: string, cause: RequestContext): Promise<TransferOutcome> {
    const { treasury, usdcMint } = this.#addresses;
    const create = createTokenAccount(treasury.address, owner, usdcMint);
    try {
      return await this.#run([create], [treasury], {
        movedLamports: 0n,
        changes: null,
        purpose: { kind: 'account', owner },
        cause,
      });
    } catch (error) {
      return notRun(asUnreachable(error).message);
    }
  }

  async #run(
    instructions: Instruction[],
    signers: KeyPair[],
    plan: {
      movedLamports: bigint;
      changes: ExpectedChanges | null;
      purpose: Purpose;
      cause: RequestContext;
      onSubmitted?: Transfer['onSubmitted'];
    },
  ): Promise<TransferOutcome> {
    this.sent.value += 1;
    const limit = computeUnitLimit(UNIT_LIMIT + (this.sent.value % UNIT_VARIATIONS));
    const blockhash = await this.#chain.reading({ blockhash: true }, (reads) => reads.blockhash());
    const wire = compileTransaction([limit, ...instructions], signers, blockhash);
    let submission: Submission;
    const { purpose, cause, movedLamports: moved } = plan;
    this.#underWay.set(wire.signature, { purpose, cause, movedLamports: moved });
    try {
      const meanwhile = () => plan.onSubmitted?.(wire.signature);
      submission = await this.#chain.submitOwn(wire, { changes: plan.changes, cause, meanwhile });
    } catch (error) {
      this.#underWay.delete(wire.signature);
      if (error instanceof WrongPrediction) throw error;
      if (error instanceof OutcomeUnknown) {
        return { kind: 'unknown', signature: wire.signature, movedLamports: moved, costLamports: 0n };
      }
      return notRun((error as Error).message);
    }
    const outcome = this.#outcome(submission, moved);
    // One that did not run leaves nothing to book.
    if (outcome.signature === null && purpose.kind !== 'savings') this.#underWay.delete(wire.signature);
    return outcome;
  }

  #outcome(submission: Submission, movedLamports: bigint): KnownOutcome {
    if (submission.kind === 'refused') {
      // Errors with fields concern the transfer itself; plain names concern the payer, the bank itself.
      const cause = typeof submission.error === 'string' ? 'chain' : 'transfer';
      return notRun(errorSentence(submission.error), cause);
    }
    const { error, signature, slot } = submission.record;
    const spent = this.#spent(submission.record);
    if (error === null) return { kind: 'done', signature, slot, costLamports: spent - movedLamports };
    const reason = errorSentence(error);
    return { kind: 'failed', reason, signature, costLamports: spent, cause: 'transfer' };
  }

  #spent(record: TransactionRecord): bigint {
    return -changeAt(record, this.#addresses.treasury.address, this.#addresses.usdcMint).SOL;
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
