import type { BankAddresses } from '../bank/addresses.js';
import { Chain, type ChainSnapshot } from '../chain/chain.js';
import { startEngine } from '../chain/engines/start.js';
import { TransactionFaultInjector, type TransactionFaultsSnapshot } from '../chain/transaction-faults.js';
import { Faucet } from '../chain/faucet.js';
import { GENESIS_FUNDS, genesisAccounts, memoPrograms } from '../chain/genesis.js';
import { notAWallet, setBalance } from '../chain/set-balance.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import type { EmbeddedEngineName, SimulatorConfig } from './config.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import { CompositeState, type Snapshotable } from '../core/snapshot.js';
import { type PerToken, type Token, baseUnits } from '../core/domain/money.js';
import type { Clock } from '../world/clock.js';
import { KeyRing } from '../world/keys.js';
import { processed } from '../chain/submission.js';
import { checkAddress } from '../core/domain/inputs.js';

/** The state of the chain and its faults at one instant, and the number of faucet transfers. */
export interface EmbeddedChainSnapshot {
  readonly chain: ChainSnapshot;
  readonly faucet: number;
  readonly transactionFaults: TransactionFaultsSnapshot;
}

/** An amount to give to an address or to set as its balance. The mint applies to USDC only. */
interface Wanted {
  readonly address: string;
  /** Token units. */
  readonly amount: number;
  readonly token: Token;
  readonly mint: string;
}

export class EmbeddedChain {
  readonly chain: Chain;
  readonly faucet: Faucet;
  readonly transactionFaults: TransactionFaultInjector;
  /** The payer of the faucet's transfers. */
  readonly faucetAddress: string;
  readonly #keys: KeyRing;
  readonly #state: Snapshotable<Omit<EmbeddedChainSnapshot, 'chain'>>;

  private constructor(chain: Chain, keys: KeyRing) {
    this.chain = chain;
    this.#keys = keys;
    this.transactionFaults = new TransactionFaultInjector(chain);
    this.faucetAddress = keys.derive('faucet').address;
    this.faucet = new Faucet(chain, {
      payer: keys.derive('faucet'),
      mintAuthority: keys.derive('mint-authority'),
    });
    this.#state = new CompositeState<Omit<EmbeddedChainSnapshot, 'chain'>>({
      faucet: this.faucet.given,
      transactionFaults: this.transactionFaults,
    });
  }

  /** Starts an engine with an empty chain. */
  static async start(
    name: EmbeddedEngineName,
    { seed, confirmationSlots }: Pick<SimulatorConfig, 'seed' | 'confirmationSlots'>,
    { clock, signatures }: { clock: Clock; signatures: SignatureVerifier | undefined },
  ): Promise<EmbeddedChain> {
    const engine = await startEngine(name);
    return new EmbeddedChain(
      new Chain({ engine, clock, seed, confirmationSlots, signatures }),
      new KeyRing(seed),
    );
  }

  /** Creates the genesis accounts; returns the treasury's balances. */
  async begin(
    { treasury, protocol, facilitator }: BankAddresses,
    wallets: readonly { readonly address: string }[],
  ): Promise<PerToken<bigint>> {
    const funds = GENESIS_FUNDS;
    await this.chain.setGenesis(memoPrograms());
    await this.chain.setGenesis(
      genesisAccounts(this.#keys.derive('mint-authority').address, [
        { address: treasury.address, ...funds.treasury },
        { address: protocol.address, ...funds.protocol },
        { address: this.faucetAddress, ...funds.faucet },
        { address: facilitator.address, ...funds.devWallet },
        ...wallets.map(({ address }) => ({ address, ...funds.devWallet })),
      ]),
    );
    return { USDC: funds.treasury.usdcBase, SOL: funds.treasury.lamports };
  }

  /** Sends lamports or tokens from the faucet. Throws ChainRefusal, RangeError. */
  async give(
    { address, amount, token, mint }: Wanted,
    cause: RequestContext = NO_REQUEST,
  ): Promise<{ signature: string }> {
    const amountBase = baseUnits(amount, token);
    checkAddress(address);
    const { signature } = processed(
      await (token === 'SOL'
        ? this.faucet.giveSol(address, amountBase, { cause })
        : this.faucet.giveTokens(address, mint, amountBase, cause)),
    );
    return { signature };
  }

  /** Writes a wallet's balance directly, bypassing transaction rules. Throws RangeError, also for non-wallets. */
  async setBalance({ address, amount, token, mint }: Wanted): Promise<void> {
    checkAddress(address);
    const amountBase = amount === 0 ? 0n : baseUnits(amount, token);
    const why =
      address === this.faucetAddress
        ? 'is the faucet'
        : notAWallet(address, await this.chain.getAccount(address));
    if (why !== null)
      throw new RangeError(
        `the balance of ${address} cannot be set: it ${why}. Use the address of a wallet.`,
      );
    const wanted = { address, token, amountBase, mint };
    await this.chain.setAccounts(await setBalance((at) => this.chain.getAccount(at), wanted));
  }

  snapshot(): EmbeddedChainSnapshot {
    return { chain: this.chain.snapshot(), ...this.#state.snapshot() };
  }

  restore(snapshot: EmbeddedChainSnapshot): Promise<void> {
    this.#state.restore(snapshot);
    return this.chain.restore(snapshot.chain);
  }
}
