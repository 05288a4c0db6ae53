import { AgentClient } from '../sdk/client/client.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import { BASE_PATH } from '../contract/endpoints.js';
import { type DevWallet, devWallet } from '../runtime/dev-wallets.js';
import type { ChainApi } from '../runtime/chain-api.js';

/** The parts of a world that a client uses. */
interface World {
  readonly mount: string;
  readonly wallets: readonly DevWallet[];
  readonly chain: ChainApi;
  readonly fetch: (input: string, init?: RequestInit) => Promise<Response>;
}

/** An in-process client for a dev wallet by number, or for any wallet. */
export function agentOf({ mount, wallets, chain, fetch }: World, wallet: number | AgentWallet): AgentClient {
  const own =
    typeof wallet === 'number' ? AgentWallet.fromSecretKey(devWallet(wallets, wallet).secretKey) : wallet;
  return new AgentClient({
    baseUrl: `http://sim.local${mount}${BASE_PATH}`,
    wallet: own,
    fetch,
    chain: chain.connection(),
  });
}
