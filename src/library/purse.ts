import { USDC_MINTS } from '../chain/genesis.js';
import type { Bank } from '../bank/bank.js';
import type { SimulatorConfig } from '../config.js';
import { type Cause, UNASKED } from '../domain/cause.js';
import type { Token } from '../domain/money.js';
import { KeyRing } from '../world/keys.js';
import type { Course } from './course.js';
import type { DevWallet } from './dev-wallets.js';
import type { LocalGround } from './local-ground.js';
import type { Moments } from './moments.js';

/** What somebody is to be given, in token units; of the mint of the world's own network unless another is named. */
export interface Gift {
  readonly address: string;
  readonly amount: number;
  readonly token: Token;
  readonly network?: keyof typeof USDC_MINTS | undefined;
}

interface Parts {
  readonly world: { readonly config: SimulatorConfig; readonly bank: Bank };
  readonly course: Course;
  readonly moments: Moments;
  /** Throws ClusterLimit where there is none, of what is wanted of it. */
  readonly ground: (what: 'faucet' | 'account') => LocalGround;
}

const TOKENS: readonly Token[] = ['SOL', 'USDC'];

/** Wallets of a world that are made for its users, and what wallets are given. */
export class Purse {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A new wallet; the same for the same seed and the same wallets made before. */
  create(): DevWallet {
    const { moments, world } = this.#parts;
    moments.walletsMade += 1;
    const { address, secretKey } = new KeyRing(world.config.seed).derive(
      `wallet/made/${moments.walletsMade}`,
    );
    return { address, secretKey };
  }

  /** A new wallet with what it is given, made as one. Throws ChainRefusal, RangeError. */
  createFunded(gifts: Readonly<Partial<Record<Token, number>>>, cause: Cause = UNASKED): Promise<DevWallet> {
    return this.#parts.course.alone(async () => {
      const wallet = this.create();
      for (const token of TOKENS) {
        const amount = gifts[token];
        if (amount !== undefined) await this.#give({ address: wallet.address, amount, token }, cause);
      }
      return wallet;
    });
  }

  /** A transaction of the faucet. Throws ChainRefusal, RangeError. */
  async give(gift: Gift, cause: Cause): Promise<{ signature: string }> {
    return this.#parts.course.shared(() => this.#give(gift, cause));
  }

  /** Sets what a wallet holds, past all rules. Throws RangeError for the bank's own addresses, and for amounts that are none. */
  async setBalance({ address, amount, token, network }: Gift): Promise<void> {
    const { world, course, ground } = this.#parts;
    const local = ground('account');
    if (world.bank.watch.isOurs(address))
      throw new RangeError(
        `${address} is the bank's own; send it money instead, so that the books know of it`,
      );
    const mint = USDC_MINTS[network ?? world.config.variants.network];
    await course.alone(() => local.setBalance({ address, amount, token, mint }));
  }

  #give({ address, amount, token, network }: Gift, cause: Cause): Promise<{ signature: string }> {
    const { world, ground } = this.#parts;
    const mint = USDC_MINTS[network ?? world.config.variants.network];
    return ground('faucet').give({ address, amount, token, mint }, cause);
  }
}
