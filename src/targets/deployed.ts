import { AgentWallet } from '../client/wallet.js';
import { DEFAULT_SEED } from '../config.js';
import { devWallets } from '../library/dev-wallets.js';
import type { Balances, Holdings } from '../scenario/results.js';
import {
  CannotPlay,
  type FetchLike,
  type LoggedEvent,
  type OnChain,
  type Target,
  type World,
} from '../scenario/target.js';
import { KeyRing } from '../world/keys.js';
import { factsOf } from './http-world.js';
import { RpcChain } from './rpc-chain.js';

/** A service that somebody else runs. */
export interface DeployedOptions {
  /** Ends with the version segment. */
  readonly baseUrl: string;
  /** Null: scenarios that send on chain are skipped. */
  readonly rpcUrl: string | null;
  /** Taken by agents in their order; each must be enough for what its agent is to have. */
  readonly wallets: readonly AgentWallet[];
}

async function airdrop(chain: RpcChain, address: string, sol: number): Promise<void> {
  try {
    await chain.airdrop(address, sol);
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    throw new CannotPlay(`${address} needs ${sol} SOL more, and the cluster gives none: ${reason}`);
  }
}

class DeployedWorld implements World {
  readonly baseUrl: string;
  readonly engine = 'deployed';
  readonly control = null;
  readonly chain: RpcChain | null;
  readonly fetch: FetchLike = (url, init) => fetch(url, init);
  readonly facts: World['facts'];
  readonly #options: DeployedOptions;
  #taken = 0;

  constructor(options: DeployedOptions) {
    this.#options = options;
    this.baseUrl = options.baseUrl.replace(/\/$/, '');
    this.facts = factsOf(this.baseUrl, this.fetch);
    const { rpcUrl } = options;
    const usdcMint = async () => (await this.facts()).usdcMint;
    this.chain = rpcUrl === null ? null : new RpcChain({ url: rpcUrl, usdcMint, waits: true });
  }

  async enlist(name: string, wanted: OnChain): Promise<AgentWallet> {
    const wallet = this.#options.wallets[this.#taken];
    if (wallet === undefined)
      throw new CannotPlay(`${name} needs a wallet of its own; give one more with --wallet FILE`);
    this.#taken += 1;
    if (this.chain === null) return wallet;
    const { address } = wallet;
    const has = await this.chain.balances(address);
    if (has.sol < wanted.sol) await airdrop(this.chain, address, wanted.sol - has.sol);
    if (has.usdc < wanted.usdc)
      throw new CannotPlay(
        `${name} needs ${wanted.usdc} USDC and its wallet ${address} has ${has.usdc}; send it some, or give another with --wallet FILE`,
      );
    return wallet;
  }

  async nowMs(): Promise<number> {
    return Date.now();
  }

  async holdings(addresses: Readonly<Record<string, string>>): Promise<Balances | null> {
    if (this.chain === null) return null;
    const balances: Record<string, Holdings> = {};
    for (const [name, address] of Object.entries(addresses)) {
      const wallet = await this.chain.balances(address);
      balances[name] = { wallet, checking: null, savings: null, debtUsdc: null };
    }
    return balances;
  }

  async invariants(): Promise<null> {
    return null;
  }

  async lastEvent(): Promise<null> {
    return null;
  }

  async eventsAfter(): Promise<readonly LoggedEvent[]> {
    return [];
  }

  async close(): Promise<void> {
    // Somebody else runs it.
  }
}

/** Plays scenarios against a service that somebody else runs: nobody controls its world, and what happened stays. */
export function deployed(options: DeployedOptions): Target {
  return {
    name: 'deployed',
    hasControl: false,
    hasChain: options.rpcUrl !== null,
    open: async () => new DeployedWorld(options),
    close: async () => undefined,
  };
}

/** The wallets that come with the package: those of every simulator with the default seed. Anybody has their keys. */
export function fixtureWallets(): AgentWallet[] {
  return devWallets(new KeyRing(DEFAULT_SEED)).map(({ secretKey }) => AgentWallet.fromSecretKey(secretKey));
}
