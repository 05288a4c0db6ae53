import type { AgentWallet } from '../../../sdk/client/wallet.js';

/** What goes wrong with one call of the bank, as its faults know it. */
export type BankTrouble =
  | { readonly effect: 'lose-answer' | 'drop-connection' | 'oracle-outage' | 'drop-transaction' }
  | { readonly effect: 'chain-unavailable'; readonly phase: 'chain-submit' }
  | { readonly effect: 'delay-transaction'; readonly phase: 'chain-submit'; readonly delay: string }
  | { readonly effect: 'delay'; readonly delay: string }
  | {
      readonly effect: 'answer';
      readonly status: number;
      readonly phase: 'before' | 'after-commit';
      readonly retryAfter?: number;
    };

/** What a service does to one request that asks for something without a receipt. */
export type AskTrouble =
  | { readonly kind: 'fail' | 'no-answer' | 'malformed' | 'wrong-recipient' | 'other-network' | 'redirect' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** The price is so many times what it should be. */
  | { readonly kind: 'dear'; readonly factor: number }
  | { readonly kind: 'other-token' }
  /** What it asks for can be paid for a second only, and two have passed when the answer comes. */
  | { readonly kind: 'expired' };

/** What a service does to one request with a receipt. */
export type ShowTrouble =
  | {
      readonly kind:
        | 'reject-receipt'
        | 'ask-again'
        | 'raise-price'
        | 'fail-undelivered'
        | 'fail-delivered'
        | 'no-answer'
        | 'lose-delivery';
    }
  | { readonly kind: 'slow'; readonly ms: number };

/** Whatever a service does wrong. */
export type ShopTrouble = AskTrouble | ShowTrouble;

/** Something for sale. */
export interface Goods {
  /** `order-1`. */
  readonly id: string;
  /** Which of the world's sellers sells it. */
  readonly seller: number;
  /** Base units of USDC. */
  readonly priceBase: bigint;
}

/** A transfer that the agent had the bank make. */
export interface Outgoing {
  readonly type: 'x402' | 'withdraw';
  readonly token: 'USDC' | 'SOL';
  readonly amountBase: bigint;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Which of the sellers it went to; null for anybody else. */
  readonly seller: number | null;
  readonly isToItself: boolean;
  /** The order that it names by a payment request or an address; null when it names none. */
  readonly order: string | null;
  /** Whether the chain has its transaction, and it did not fail. */
  readonly isOnChain: boolean;
}

/** What became of an order, by the service that sells it. */
export interface Dealt {
  /** Answers with a price that it was asked for. */
  readonly asked: number;
  /** Answers that delivered. */
  readonly served: number;
}

/** A seller, or somebody who takes money that is not his. */
export interface Shopkeeper {
  /** The host of its service without `.test`. */
  readonly name: string;
  readonly address: string;
}

/** A world with a bank, services and an agent's funded account, and its controls. */
export interface AgentWorld {
  readonly baseUrl: string;
  readonly sellers: readonly Shopkeeper[];
  /** Takes money that belongs to a seller, and keeps a service that others redirect to. */
  readonly stranger: Shopkeeper;
  /** The agent's wallet. */
  wallet(): AgentWallet;
  /** Makes the world what it was when it was opened, with these things for sale. */
  begin(goods: readonly Goods[]): Promise<void>;
  /** Asks the bank. Rejects with TypeError when the answer is lost. `operation` is null for what is none. */
  bank(request: Request, operation: string | null, fault: BankTrouble | null): Promise<Response>;
  /** Asks the service of a shopkeeper, `order` being what it is asked for. Rejects with TypeError when the answer is lost. */
  shop(request: Request, order: string | null, fault: ShopTrouble | null): Promise<Response>;
  nowMs(): number;
  advance(ms: number): Promise<void>;
  /** What a USDC is worth from now on; SOL goes the other way. */
  setUsdcPrice(usd: number): void;
  /** Lets the agent have used its daily limit of payments but for so many USD. */
  useLimit(leftUsd: number): Promise<void>;
  /** Lets time pass until no transfer is open. */
  settle(): Promise<void>;
  /** What left the agent's account since the run began, oldest first. */
  outgoings(): readonly Outgoing[];
  /** USDC in checking, base units. */
  balanceBase(): bigint;
  dealt(order: string): Dealt;
  /** Sentences about what does not hold. */
  invariants(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Makes worlds. */
export interface AgentTarget {
  open(): Promise<AgentWorld>;
  /** Resolves after so many real milliseconds, unless it is ended before. */
  timer(ms: number): { readonly over: Promise<void>; end(): void };
  /** Real milliseconds, of any beginning. */
  nowMs(): number;
}
