import { AgentWallet, type TokenTransfer } from '../../sdk/client/wallet.js';
import { USDC_MINTS } from '../../chain/genesis.js';
import type { FetchLike } from '../../core/fetch.js';
import { DEFAULT_SEED } from '../../runtime/config.js';
import { devWallets } from '../../runtime/dev-wallets.js';
import type { Balances, Holdings } from '../scenario/results.js';
import {
  CannotPlay,
  type LoggedEvent,
  type OnChain,
  type ServiceFacts,
  type Target,
  type World,
} from '../scenario/target.js';
import { KeyRing } from '../../world/keys.js';
import { RpcChain } from './rpc-chain.js';

export interface DeployedOptions {
  /** Must end with the version segment. */
  readonly baseUrl: string;
  /** If null, scenarios that send transactions are skipped. */
  readonly rpcUrl: string | null;
  /** Wallets that fund new wallets of agents when the cluster has no faucet. */
  readonly wallets: readonly AgentWallet[];
}

/** What a service publishes about itself at `{base_url}/docs`. Rejects with Error if that fails. */
async function factsOf(baseUrl: string, fetcher: FetchLike): Promise<ServiceFacts> {
  const response = await fetcher(`${baseUrl}/docs`);
  const docs = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  const { treasury_address: treasury, usdc_mint: usdcMint, receipt_issuer: issuer } = docs ?? {};
  if (typeof treasury !== 'string')
    throw new Error(
      `${baseUrl}/docs does not contain treasury_address (HTTP ${response.status}); the URL must end like /api/v1`,
    );
  return {
    treasury,
    usdcMint: typeof usdcMint === 'string' ? usdcMint : USDC_MINTS.mainnet,
    issuer: typeof issuer === 'string' ? issuer : null,
  };
}

/** SOL kept in a funding wallet for fees. */
const FEES_SOL = 0.01;

class DeployedWorld implements World {
  readonly baseUrl: string;
  readonly seed = null;
  readonly control = null;
  readonly chain: RpcChain | null;
  readonly fetch: FetchLike = async (url, init) => {
    const response = await fetch(url, init);
    const sentMs = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(sentMs)) this.#nowMs = sentMs;
    return response;
  };
  readonly #options: DeployedOptions;
  /** The Date of the last response: the clock of a service need not be the machine's. */
  #nowMs: number | null = null;
  #facts: Promise<ServiceFacts> | null = null;

  constructor(options: DeployedOptions) {
    this.#options = options;
    this.baseUrl = options.baseUrl.replace(/\/$/, '');
    const { rpcUrl } = options;
    const usdcMint = async () => (await this.facts()).usdcMint;
    this.chain = rpcUrl === null ? null : new RpcChain({ url: rpcUrl, usdcMint, waits: true });
  }

  facts(): Promise<ServiceFacts> {
    return (this.#facts ??= factsOf(this.baseUrl, this.fetch));
  }

  async existingWallet(which: number | string): Promise<AgentWallet> {
    throw new CannotPlay(`no key is available for the wallet ${which}`);
  }

  /** Creates an unused wallet, so that leftovers of earlier runs cannot interfere. */
  async createAgent(name: string, wanted: OnChain): Promise<AgentWallet> {
    const wallet = AgentWallet.generate();
    const { chain } = this;
    if (chain === null) {
      if (wanted.usdc > 0)
        throw new CannotPlay(`${name} needs ${wanted.usdc} USDC; name the chain with --rpc-url`);
      return wallet;
    }
    const { usdcMint } = await this.facts();
    const to = wallet.address;
    // A cluster without a faucet refuses.
    if (wanted.sol > 0)
      await chain
        .airdrop(to, wanted.sol)
        .catch(() => this.#give(chain, { token: 'SOL', amount: wanted.sol, to, usdcMint }));
    if (wanted.usdc > 0) await this.#give(chain, { token: 'USDC', amount: wanted.usdc, to, usdcMint });
    return wallet;
  }

  /** Sends tokens from the first funding wallet that has enough. */
  async #give(chain: RpcChain, transfer: TokenTransfer): Promise<void> {
    const { token, amount } = transfer;
    for (const funder of this.#options.wallets) {
      const { usdc, sol } = await chain.balances(funder.address);
      const isEnough = token === 'USDC' ? usdc >= amount && sol > FEES_SOL : sol >= amount + FEES_SOL;
      if (!isEnough) continue;
      await funder.send(chain, transfer);
      return;
    }
    throw new CannotPlay(
      `an agent needs ${amount} ${token} and no wallet has that much; name one that does with --wallet FILE`,
    );
  }

  async nowMs(): Promise<number> {
    return this.#nowMs ?? Date.now();
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

  async close(): Promise<void> {}
}

/** Runs scenarios against a deployed service: its world cannot be controlled and effects are permanent. */
export function deployed(options: DeployedOptions): Target {
  return {
    name: 'deployed',
    hasControl: false,
    hasChain: options.rpcUrl !== null,
    open: async () => new DeployedWorld(options),
  };
}

/** The wallets that come with the package: every simulator with the default seed has them. Their keys are public. */
export function fixtureWallets(): AgentWallet[] {
  return devWallets(new KeyRing(DEFAULT_SEED)).map(({ secretKey }) => AgentWallet.fromSecretKey(secretKey));
}
