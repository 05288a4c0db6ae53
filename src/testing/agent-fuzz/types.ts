import type { Variants } from '../../core/domain/variants.js';
import type { AgentTask, McpTransport } from './task.js';
import type { AgentWallet } from '../../sdk/client/wallet.js';

/** A fault injected into one call of the bank. */
export type BankTrouble =
  | { readonly effect: 'lose-response' | 'drop-connection' | 'oracle-outage' | 'drop-transaction' }
  | { readonly effect: 'chain-unavailable'; readonly phase: 'chain-submit' }
  | { readonly effect: 'delay-transaction'; readonly phase: 'chain-submit'; readonly delay: string }
  | { readonly effect: 'delay'; readonly delay: string }
  | {
      readonly effect: 'replace-response';
      readonly status: number;
      readonly phase: 'before' | 'after-commit';
      readonly retryAfter?: number;
    };

/** A fault injected into one request of a service without a receipt. */
export type AskTrouble =
  | { readonly kind: 'fail' | 'no-response' | 'malformed' | 'wrong-recipient' | 'other-network' | 'redirect' }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'dear'; readonly factor: number }
  | { readonly kind: 'other-token' }
  /** The payment request is valid for one second, but the response arrives two seconds later. */
  | { readonly kind: 'expired' };

/** A fault injected into one request of a service with a receipt. */
export type ShowTrouble =
  | {
      readonly kind:
        | 'reject-receipt'
        | 'ask-again'
        | 'raise-price'
        | 'fail-undelivered'
        | 'fail-delivered'
        | 'no-response'
        | 'lose-delivery';
    }
  | { readonly kind: 'slow'; readonly ms: number };

/** Any misbehaviour of a service. */
export type ShopTrouble = AskTrouble | ShowTrouble;

/** Something for sale. */
export interface Goods {
  /** `order-1`. */
  readonly id: string;
  /** Index into the world's sellers. */
  readonly seller: number;
  /** In base units of USDC. */
  readonly priceBase: bigint;
}

/** A transfer that the bank made for the agent. */
export interface Outgoing {
  readonly type: 'x402' | 'withdraw';
  readonly token: 'USDC' | 'SOL';
  readonly amountBase: bigint;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Index of the seller that received it; null for any other recipient. */
  readonly seller: number | null;
  readonly isToItself: boolean;
  /** The order that it names by a payment request or a URL; null for none. */
  readonly order: string | null;
  /** Whether its transaction is on chain and succeeded. */
  readonly isOnChain: boolean;
}

/** Activity on an order, by the service that sells it. */
export interface Dealt {
  /** Number of 402 responses with a price. */
  readonly asked: number;
  readonly served: number;
}

/** A seller, or a recipient that takes money meant for sellers. */
export interface Shopkeeper {
  /** Host of its service, without `.test`. */
  readonly name: string;
  readonly address: string;
}

/** A world with a bank, services, an agent's funded account, and controls. */
export interface AgentWorld {
  readonly baseUrl: string;
  readonly sellers: readonly Shopkeeper[];
  /** Takes money that belongs to a seller, and runs the service that redirects lead to. */
  readonly stranger: Shopkeeper;
  wallet(): AgentWallet;
  /** Restores the initial state, with these goods for sale. */
  begin(goods: readonly Goods[]): Promise<void>;
  /** Calls the bank. Rejects with TypeError when the response is lost. `operation` is null for unknown paths. */
  bank(request: Request, operation: string | null, fault: BankTrouble | null): Promise<Response>;
  /** Calls a service. `order` is the requested order. Rejects with TypeError when the response is lost. */
  shop(request: Request, order: string | null, fault: ShopTrouble | null): Promise<Response>;
  /** The client's end of an MCP server that acts as the agent's wallet. It calls bank and services by `fetch` and waits by `sleep`. */
  mcp(fetch: AgentTask['fetch'], sleep: AgentTask['sleep']): Promise<McpTransport>;
  nowMs(): number;
  advance(ms: number): Promise<void>;
  /** Sets the USD price of USDC; the SOL price moves inversely. */
  setUsdcPrice(usd: number): void;
  /** Uses up the agent's daily payment limit except for `leftUsd`. */
  useLimit(leftUsd: number): Promise<void>;
  /** Advances time until no transfer is pending. */
  settle(): Promise<void>;
  /** Transfers out of the agent's account since the run began, oldest first. */
  outgoings(): readonly Outgoing[];
  /** USDC in checking, in base units. */
  balanceBase(): bigint;
  dealt(order: string): Dealt;
  /** Violated invariants, as sentences. */
  invariants(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a world for plans. The variants differ from the bank's defaults. */
export type OpenAgentWorld = (variants: Partial<Variants>) => Promise<AgentWorld>;
