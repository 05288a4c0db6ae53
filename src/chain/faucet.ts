import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { Cell } from '../core/snapshot.js';
import type { Chain } from './chain.js';
import type { Submission, SubmitOptions } from './submission.js';
import { associatedTokenAddress } from './solana/token-accounts.js';
import { computeUnitLimit, createTokenAccount, mintTokens, transferLamports } from './solana/instructions.js';
import { type TransactionSigner, buildTransaction } from './solana/wire.js';

/** Sends SOL and newly minted USDC by ordinary transactions, so that the history shows their origin. */
export class Faucet {
  readonly #chain: Chain;
  readonly #payer: TransactionSigner;
  readonly #mintAuthority: TransactionSigner;
  readonly given = new Cell(0);
  #last: Promise<unknown> = Promise.resolve();

  constructor(chain: Chain, keys: { payer: TransactionSigner; mintAuthority: TransactionSigner }) {
    this.#chain = chain;
    this.#payer = keys.payer;
    this.#mintAuthority = keys.mintAuthority;
  }

  /** Holds the lamports that have not been distributed. */
  get address(): string {
    return this.#payer.address;
  }

  /**
   * Sends lamports, as the only instruction of a transaction. Transfers are sent one after the other: each ends its
   * slot, so that an equal transfer has another blockhash. Throws RangeError for more than an account can hold.
   */
  giveSol(to: string, lamports: bigint, options: SubmitOptions = {}): Promise<Submission> {
    const transfer = transferLamports(this.#payer.address, to, lamports);
    this.given.value += 1;
    const given = this.#last.then(() => {
      const { blockhash } = this.#chain.latestBlockhash();
      return this.#chain.submit(buildTransaction([transfer], [this.#payer], blockhash), options);
    });
    this.#last = given.catch(() => undefined);
    return given;
  }

  /** Mints tokens into the wallet's associated account, creating it when missing. */
  async giveTokens(
    to: string,
    mint: string,
    amountBase: bigint,
    cause: RequestContext = NO_REQUEST,
  ): Promise<Submission> {
    const payer = this.#payer.address;
    const exists = (await this.#chain.getAccount(associatedTokenAddress(to, mint))) !== null;
    const instructions = [
      this.#distinct(),
      ...(exists ? [] : [createTokenAccount(payer, to, mint)]),
      mintTokens(this.#mintAuthority.address, to, mint, amountBase),
    ];
    const { blockhash } = this.#chain.latestBlockhash();
    const bytes = buildTransaction(instructions, [this.#payer, this.#mintAuthority], blockhash);
    return this.#chain.submit(bytes, { cause });
  }

  // Two equal transfers with the same blockhash would be the same transaction.
  #distinct() {
    this.given.value += 1;
    return computeUnitLimit(100_000 + (this.given.value % 100_000));
  }
}
