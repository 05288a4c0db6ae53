import type { Bank } from '../bank/bank.js';
import { uuid } from '../core/domain/ids.js';
import type { PaymentReceipt } from '../core/domain/payment-request.js';
import type { Token } from '../core/domain/money.js';
import type { Outflow } from '../core/domain/state.js';

/** The bank's data of x402 payments, to verify receipts, requests and payments against. */
export class PaymentFacts {
  readonly #bank: Bank;
  /** Whether the chain can be read synchronously; false on a cluster. */
  readonly hasChain: boolean;

  constructor(bank: Bank, { hasChain }: { hasChain: boolean }) {
    this.#bank = bank;
    this.hasChain = hasChain;
  }

  /** The key that signs receipts. */
  get issuer(): string {
    return this.#bank.addresses.issuer.address;
  }

  /** The CAIP-2 name of the network. */
  get network(): string {
    return this.#bank.addresses.caip2;
  }

  /** The address that pays the fees of standard x402 payments. */
  get facilitator(): string {
    return this.#bank.addresses.facilitator.address;
  }

  /** The mint of a token; wrapped SOL for SOL. */
  assetOf(token: Token): string {
    return this.#bank.addresses.assetOf(token);
  }

  /** The collection address of a customer; null for other wallets. */
  collectionOf(wallet: string): string | null {
    return this.#bank.books.state.agents.get(wallet)?.collectionAddress ?? null;
  }

  /** The receipt of a payment, by the number of the entry that reserved it; null without a receipt. */
  receiptOf(entry: number): PaymentReceipt | null {
    return this.#bank.reservations.receiptOf(entry);
  }

  /** The payment that a transaction executed, and its id; null for other transactions. */
  outflowOf(signature: string): { readonly outflow: Outflow; readonly paymentId: string } | null {
    const { settledBy, outflows } = this.#bank.books.state;
    const outflow = outflows.get(settledBy.get(signature) ?? 0);
    if (outflow === undefined || outflow.terms.type !== 'x402') return null;
    return { outflow, paymentId: uuid(this.#bank.env().salt, 'entry', outflow.id) };
  }
}
