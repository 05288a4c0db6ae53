import type { ControlClient } from '../api/control/client.js';
import type { BankLimits } from '../core/domain/bank-limits.js';
import type { Variants } from '../core/domain/variants.js';
import type { FetchLike } from '../core/fetch.js';
import type { ChainConnection } from '../sdk/client/wallet.js';

export interface WalletChain extends ChainConnection {
  balances(wallet: string): Promise<{ readonly lamports: bigint; readonly usdcBase: bigint }>;
  /** Whether a deployed or native program is at the address. */
  isProgram(address: string): Promise<boolean>;
}

/** The published addresses that the wallet tools use. */
export interface BankFacts {
  readonly treasury: string;
  readonly usdcMint: string;
}

/** A world, in this process or another, as an MCP server uses it. */
export interface Backend {
  /** The base URL of the API, for `fetch`. */
  readonly baseUrl: string;
  readonly fetch: FetchLike;
  /** Reaches the services that `fetch_paid` calls. */
  readonly fetchService: FetchLike;
  /** Waits milliseconds before a payment is tried again. */
  readonly wait: (ms: number) => Promise<void>;
  readonly control: ControlClient;
  readonly variants: Variants;
  readonly limits: BankLimits;
  readonly facts: BankFacts;
  readonly chain: WalletChain;
}

export function timer(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The world's time in milliseconds since 1970. */
export async function worldNowMs({ control }: Backend): Promise<number> {
  return Date.parse((await control.do('time')).now);
}
