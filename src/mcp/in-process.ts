import { ControlClient } from '../api/control/client.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { BankLimits } from '../core/domain/bank-limits.js';
import type { Variants } from '../core/domain/variants.js';
import type { ChainConnection } from '../sdk/client/wallet.js';
import type { FetchLike } from '../core/fetch.js';
import { IN_PROCESS_ORIGIN } from '../core/origins.js';
import { type Backend, type BankFacts, type WalletChain, timer } from './backend.js';

export interface WorldHere {
  readonly config: { readonly variants: Variants; readonly bankLimits: BankLimits };
  readonly facts: BankFacts;
  readonly chain: {
    connection(): ChainConnection;
    balances: WalletChain['balances'];
    getAccount(address: string): Promise<{ readonly executable: boolean } | null>;
  };
}

/** The backend of a world in this process. `fetch` serves its requests; `mount` is the prefix of its paths. */
export function backendHere(
  { config, facts, chain }: WorldHere,
  fetcher: (request: Request) => Promise<Response>,
  mount = '',
): Backend {
  const origin = IN_PROCESS_ORIGIN + mount;
  const here: FetchLike = (url, init) => fetcher(new Request(url, init));
  return {
    baseUrl: origin + BASE_PATH,
    fetch: here,
    fetchService: (url, init) => fetch(url, init),
    wait: timer,
    control: new ControlClient({ origin, fetch: here }),
    variants: config.variants,
    limits: config.bankLimits,
    facts,
    chain: {
      ...chain.connection(),
      balances: (wallet) => chain.balances(wallet),
      isProgram: async (address) => (await chain.getAccount(address))?.executable === true,
    },
  };
}
