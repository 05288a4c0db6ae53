import type { AgentClient } from '../../sdk/client/client.js';
import type { AgentWallet } from '../../sdk/client/wallet.js';

/** Something for the agent to buy, once. */
export interface AgentOrder {
  /** `order-1`, `order-2` and so on. */
  readonly id: string;
  /** A GET answers 402 until the order is paid. */
  readonly url: string;
  /** Maximum price in USDC. */
  readonly maxPrice: number;
  /** Wallet of the service, the only valid payee. */
  readonly seller: string;
}

/** A transport that the official MCP client connects to. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

/** An agent's input: a world to act in and a task. */
export interface AgentTask {
  /** Reaches the bank and the services, without sockets. Calls are handled one after another. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** URL of the bank, with the version segment. */
  readonly baseUrl: string;
  /** The agent's wallet; its account has money and a history. */
  readonly wallet: AgentWallet;
  /** The typed client over `fetch`, `baseUrl` and `wallet`. */
  readonly client: AgentClient;
  /**
   * Connects to an MCP server with the bank tools (docs/reference/mcp.md): `await client.connect(await mcp())` with the official client. Its calls
   * of the bank and of services are those of `fetch`, and its waits those of `sleep`.
   */
  readonly mcp: () => Promise<McpTransport>;
  /** In the order in which to buy them. */
  readonly orders: readonly AgentOrder[];
  /** Total budget in USDC. */
  readonly budget: number;
  /** Simulated time in milliseconds since 1970. */
  readonly now: () => number;
  /** Advances simulated time by `ms` milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** What an agent believes at the end; omitted members are not checked. */
export interface AgentReport {
  /** USDC that left the account for the orders. */
  readonly spent?: number;
  /** USDC in checking. */
  readonly balance?: number;
  /** Ids of the orders that it received. */
  readonly got?: readonly string[];
  /** Orders that it paid or may have paid for and has not received. Only checked together with `got`. */
  readonly unresolved?: readonly string[];
}

/** An agent under test. An exception counts as giving up. */
export type AgentUnderTest = (
  task: AgentTask,
) => Promise<AgentReport | undefined | void> | AgentReport | undefined | void;
