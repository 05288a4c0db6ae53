import { ControlClient } from '../api/control/client.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { BankLimits } from '../core/domain/bank-limits.js';
import { ChainRpcError, balancesAt, chainAt, isProgramAt } from '../sdk/client/chain-at.js';
import { type Backend, type WalletChain, timer } from './backend.js';

interface PublishedDocs {
  readonly treasury_address: string;
  readonly usdc_mint: string;
  readonly rpc_url?: string;
  readonly limits: BankLimits;
}

const NO_RPC = "This world does not serve its chain's JSON-RPC, which the wallet tools need.";

function chainOf({ rpc_url: url, usdc_mint: usdcMint }: PublishedDocs): WalletChain {
  if (url !== undefined)
    return {
      ...chainAt(url),
      balances: (wallet) => balancesAt(url, { wallet, usdcMint }),
      isProgram: (address) => isProgramAt(url, address),
    };
  const refuse = () => Promise.reject(new ChainRpcError(NO_RPC, null));
  return { latestBlockhash: refuse, sendTransaction: refuse, balances: refuse, isProgram: refuse };
}

/**
 * The backend of a simulator in another process, by its URL or by a fork's URL. Rejects with ControlError, and with fetch's error when the
 * simulator is unreachable.
 */
export async function backendAt(url: string, token: string | undefined): Promise<Backend> {
  const { origin, pathname } = new URL(url);
  const world = origin + (/^\/w\/[^/]+/.exec(pathname)?.[0] ?? '');
  const control = new ControlClient({ origin: world, token });
  const variants = await control.do('variants');
  const docs = (await (await fetch(`${world}${BASE_PATH}/docs`)).json()) as PublishedDocs;
  return {
    baseUrl: world + BASE_PATH,
    fetch: (address, init) => fetch(address, init),
    fetchService: (address, init) => fetch(address, init),
    wait: timer,
    control,
    variants,
    limits: docs.limits,
    facts: { treasury: docs.treasury_address, usdcMint: docs.usdc_mint },
    chain: chainOf(docs),
  };
}
