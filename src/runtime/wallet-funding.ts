import { z } from 'zod';
import { outgoingTransaction } from '../sdk/client/outgoing.js';
import { USDC_MINTS } from '../chain/genesis.js';
import type { ChainApi } from './chain-api.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { Cell } from '../core/snapshot.js';
import { type Token, baseUnits } from '../core/domain/money.js';
import type { DepositView } from '../core/domain/operations/deposit.js';
import { keyPairOf } from '../world/keys.js';
import { type DevWallet, madeWallet, madeWallets } from './dev-wallets.js';
import { u64Amount } from '../chain/solana/layout.js';
import { processed } from '../chain/submission.js';
import { keySeed } from './key-seed.js';
import { RefusedError, SecretKeyUnknown, inProcess } from './refusals.js';
import type { WorldParts } from './world-parts.js';
import { checkAddress } from '../core/domain/inputs.js';
import { checkInput, tokenName } from './inspection/queries.js';

/** A faucet transfer or balance, in token units; the mint defaults to USDC of the world's network. */
export interface FundingRequest {
  readonly address: string;
  readonly amount: number;
  readonly token: Token;
  readonly network?: keyof typeof USDC_MINTS | undefined;
}

/** A deposit to add to a wallet's checking account, in token units. */
export interface WantedDeposit {
  readonly wallet: string;
  readonly amount: number;
  readonly token: Token;
}

interface Parts extends Pick<
  WorldParts,
  'config' | 'bank' | 'wallets' | 'scheduler' | 'embedded' | 'whenDurable'
> {
  readonly chain: ChainApi;
}

const TOKENS: readonly Token[] = ['SOL', 'USDC'];
const TOKEN = { token: tokenName };
const FUNDING = { ...TOKEN, network: z.enum(['mainnet', 'devnet']).nullish() };

/** The SOL for transaction fees that a depositing wallet receives. */
export const FEES_SOL = 0.01;

/** The most wallets that a world creates: their list derives the key of each. */
export const MOST_WALLETS_MADE = 100_000;

/** Creates wallets for the world's users, and funds wallets. */
export class WalletFunding {
  /** @internal Number of wallets that the world has created. */
  readonly walletsMade = new Cell(0);
  readonly #parts: Parts;
  readonly #seed: string;
  /** Numbers of created wallets by address, computed on demand. */
  readonly #numbers = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#seed = keySeed(parts.config);
  }

  /** A new wallet, determined by `keySeed` and the number of wallets created before. Throws RangeError when there are too many. */
  create(): DevWallet {
    if (this.walletsMade.value >= MOST_WALLETS_MADE)
      throw new RangeError(`the world has created ${MOST_WALLETS_MADE} wallets, the most it can`);
    this.walletsMade.value += 1;
    return madeWallet(this.#seed, this.walletsMade.value);
  }

  /** The wallets that `create` has made so far, oldest first. */
  made(): DevWallet[] {
    return madeWallets(this.#seed, this.walletsMade.value);
  }

  /**
   * A whole deposit by a dev wallet or a created wallet. The faucet sends the amount, and SOL for fees if needed. The
   * wallet sends it to the treasury, and the bank records it. Throws SecretKeyUnknown, RangeError, ChainRefusal,
   * RefusedError.
   */
  async deposit(wanted: WantedDeposit, cause: RequestContext): Promise<DepositView> {
    checkInput(wanted, TOKEN, ['wallet', 'amount']);
    return this.#parts.scheduler.runExclusiveAfterDue(() => this.#deposit(wanted, cause));
  }

  /** Creates a wallet and funds it, as one exclusive operation. Throws ChainRefusal, RangeError. */
  async createFunded(
    gifts: { readonly [T in Token]?: number | undefined },
    cause: RequestContext = NO_REQUEST,
  ): Promise<DevWallet> {
    checkInput(gifts, {}, TOKENS, 'token');
    return this.#durably(() =>
      this.#parts.scheduler.runExclusive(async () => {
        const wallet = this.create();
        for (const token of TOKENS) {
          const amount = gifts[token];
          if (amount !== undefined && amount !== 0)
            await this.#give({ address: wallet.address, amount, token }, cause);
        }
        return wallet;
      }),
    );
  }

  /** A faucet transfer. Throws ChainRefusal, RangeError. */
  async give(gift: FundingRequest, cause: RequestContext = NO_REQUEST): Promise<{ signature: string }> {
    checkInput(gift, FUNDING, ['address', 'amount']);
    return this.#durably(() => this.#parts.scheduler.runShared(() => this.#give(gift, cause)));
  }

  /** Writes a balance directly, bypassing transaction rules. Throws RangeError for the bank's addresses and invalid amounts. */
  async setBalance(wanted: FundingRequest): Promise<void> {
    checkInput(wanted, FUNDING, ['address', 'amount']);
    const { address, amount, token, network } = wanted;
    const { config, bank, scheduler } = this.#parts;
    const embedded = inProcess(this.#parts.embedded, 'account');
    if (bank.reconciler.signsFor(address))
      throw new RangeError(
        `${address} belongs to the bank; send it tokens instead, so that the books match the chain`,
      );
    const mint = USDC_MINTS[network ?? config.variants.network];
    await this.#durably(() =>
      scheduler.runExclusiveAfterOverdue(() => embedded.setBalance({ address, amount, token, mint })),
    );
  }

  /** Returns the result of `work` once its effects are durable. */
  async #durably<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.#parts.whenDurable();
    }
  }

  async #deposit({ wallet, amount, token }: WantedDeposit, cause: RequestContext): Promise<DepositView> {
    const { config, bank } = this.#parts;
    const { chain, faucet } = inProcess(this.#parts.embedded, 'faucet');
    const amountBase = u64Amount(baseUnits(amount, token));
    const owner = keyPairOf(this.#secretKeyOf(wallet));
    const { confirmed } = config.confirmationSlots;
    if (confirmed > 0)
      throw new RangeError(
        `a deposit in one step cannot wait ${confirmed} slots for its confirmation. Let the wallet send to the treasury, and record the deposit once the transaction is confirmed`,
      );
    const { lamports } = await this.#parts.chain.balances(wallet);
    if (lamports < FEES_SOL * 1e9)
      await this.#give({ address: wallet, amount: FEES_SOL, token: 'SOL' }, cause);
    await this.#give({ address: wallet, amount, token }, cause);
    const transfer = { to: bank.addresses.treasury.address, amountBase };
    const outgoing =
      token === 'SOL'
        ? ({ kind: 'sol', ...transfer } as const)
        : ({ kind: 'token', mint: bank.addresses.usdcMint, ...transfer } as const);
    // Each deposit has a faucet transfer of its own, so the faucet's counter makes two equal deposits distinct.
    const { blockhash } = chain.latestBlockhash();
    const bytes = outgoingTransaction([owner], [outgoing], { number: faucet.given.value, blockhash });
    const { signature } = processed(await chain.submit(bytes, { cause }));
    bank.openAccount(wallet, cause);
    const recorded = await bank.deposit({ wallet, amount, token, signature }, cause);
    if (!recorded.ok) throw new RefusedError(recorded.refusal);
    return recorded.value;
  }

  /** Throws SecretKeyUnknown, RangeError. */
  #secretKeyOf(address: string): string {
    checkAddress(address);
    const dev = this.#parts.wallets.find((each) => each.address === address);
    if (dev !== undefined) return dev.secretKey;
    for (let number = this.#numbers.size + 1; number <= this.walletsMade.value; number += 1)
      this.#numbers.set(madeWallet(this.#seed, number).address, number);
    const number = this.#numbers.get(address);
    // After a revert the cache may hold wallets that have not been created yet.
    if (number === undefined || number > this.walletsMade.value) throw new SecretKeyUnknown(address);
    return madeWallet(this.#seed, number).secretKey;
  }

  #give(
    { address, amount, token, network }: FundingRequest,
    cause: RequestContext,
  ): Promise<{ signature: string }> {
    const { config, embedded } = this.#parts;
    const mint = USDC_MINTS[network ?? config.variants.network];
    return inProcess(embedded, 'faucet').give({ address, amount, token, mint }, cause);
  }
}
