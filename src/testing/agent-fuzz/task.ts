import type { AgentClient } from '../../sdk/client/client.js';
import type { AgentWallet } from '../../sdk/client/wallet.js';

/** An order that the agent must buy once. */
export interface AgentOrder {
  /** `order-1`, `order-2` and so on. */
  readonly id: string;
  /** A GET returns 402 until the order is paid. */
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
   * Connects an official MCP client to the bank tools (docs/reference/mcp.md): `await client.connect(await mcp())`. Its calls of bank and
   * services are made by `fetch`, and its waits by `sleep`.
   */
  readonly mcp: () => Promise<McpTransport>;
  /** Buy them in this order. */
  readonly orders: readonly AgentOrder[];
  /** Total budget in USDC. */
  readonly budget: number;
  /** Simulated time in milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** What an agent believes when it finishes; members that are absent are not checked. */
export interface AgentReport {
  /** USDC that left the account for the orders. */
  readonly spent?: number;
  /** USDC in checking. */
  readonly balance?: number;
  /** Ids of the orders received. */
  readonly got?: readonly string[];
  /** Orders that were paid, or may have been paid, but were not received. Checked only together with `got`. */
  readonly unresolved?: readonly string[];
}

/** An agent under test. An exception counts as giving up. */
export type AgentUnderTest = (
  task: AgentTask,
) => Promise<AgentReport | undefined | void> | AgentReport | undefined | void;
