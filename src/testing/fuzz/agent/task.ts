import type { AgentClient } from '../../../sdk/client/client.js';
import type { AgentWallet } from '../../../sdk/client/wallet.js';

/** Something that the agent is to buy, once. */
export interface AgentOrder {
  /** `order-1`, `order-2` and so on. */
  readonly id: string;
  /** A GET of it answers 402 until it was paid. */
  readonly url: string;
  /** What it may cost, in USDC. */
  readonly maxPrice: number;
  /** The wallet of the service, which nobody else is to be paid for. */
  readonly seller: string;
}

/** What an agent is given: a world to act in, and what it is to do there. */
export interface AgentTask {
  /** Reaches the bank and the services, without sockets. Calls are answered one after another. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Of the bank, with the version segment. */
  readonly baseUrl: string;
  /** Of the agent; its account has money and a past. */
  readonly wallet: AgentWallet;
  /** The typed client over that fetch, base URL and wallet. */
  readonly client: AgentClient;
  /** In the order in which they are to be bought. */
  readonly orders: readonly AgentOrder[];
  /** What may be spent in all, in USDC. */
  readonly budget: number;
  /** The world's time in milliseconds since 1970. */
  readonly now: () => number;
  /** Lets so many milliseconds of the world's time pass. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** What an agent believes at its end; a member that is left out is not checked. */
export interface AgentReport {
  /** USDC that left the account for the orders. */
  readonly spent?: number;
  /** USDC in checking. */
  readonly balance?: number;
  /** Orders that it has got, by id. */
  readonly got?: readonly string[];
  /** Orders that it paid for, or may have paid for, and has not got. Only looked at beside `got`. */
  readonly unresolved?: readonly string[];
}

/** An agent under test. What it throws counts as giving up. */
export type AgentUnderTest = (
  task: AgentTask,
) => Promise<AgentReport | undefined | void> | AgentReport | undefined | void;
