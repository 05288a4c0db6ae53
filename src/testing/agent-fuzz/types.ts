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
