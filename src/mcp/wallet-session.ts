import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import type { Facts } from '../core/domain/entry.js';
import { isReservedAddress } from '../core/domain/inputs.js';
import { MAX_AMOUNT } from '../core/domain/money.js';
import { AgentClient, BankError } from '../sdk/client/client.js';
import type { AgentWallet } from '../sdk/client/wallet.js';
import type { Payer } from '../sdk/x402/paying/payment-executor.js';
import { type PayingFetch, payingFetch } from '../sdk/x402/paying/paying-fetch.js';
import {
  StandardPayer,
  type StandardPaymentHeader,
  type StandardTerms,
} from '../sdk/x402/standard/standard-payer.js';
import { type Money, moneyOf, moneyText } from './amounts.js';
import { type Backend, worldNowMs } from './backend.js';
import { type CountedPayment, Spending } from './spending.js';
import { type Payee, type PaymentRules, callHash, requireConsent } from './consent.js';
import { ToolRefusal } from './tool-refusal.js';
import { WalletTransfers } from './wallet-transfers.js';

/** A payment made by `fetch_paid`, with the receipt of the bank or the settlement of standard x402. */
export const paidReceipt = z.object({
  url: z.string(),
  amount: z.number(),
  token: z.string(),
  recipient: z.string(),
  tx_signature: z.string().nullable(),
  receipt: z.record(z.string(), z.unknown()).nullable(),
});
type PaidReceipt = z.output<typeof paidReceipt>;

export interface PaidFetch {
  readonly rules: PaymentRules;
  readonly url: string;
  readonly most: Money;
  /** The wallet that must be paid; null for any. */
  readonly recipient: string | null;
  paid: PaidReceipt | null;
}

/** A signed payment by standard x402. */
export interface StandardPayment {
  /** Identifies the request that it pays for. */
  readonly fingerprint: string;
  readonly header: StandardPaymentHeader;
  readonly terms: StandardTerms;
}

const KEPT_RECEIPTS = 1_000;

/** The highest status of a refusal; above it the outcome may be unknown. */
const SERVER_ERROR = 500;

/** Refusals of a repeated call that prove that nothing was paid before, unless a fault sent them: the bank looks up the Idempotency-Key first. */
const SAYS_UNPAID: ReadonlySet<string> = new Set([
  'insufficient_balance',
  'daily_limit_exceeded',
  'transaction_failed',
]);

/** One wallet's session: its client, the amounts it has spent, and its receipts. */
export class WalletSession {
  readonly wallet: AgentWallet;
  readonly client: AgentClient;
  readonly backend: Backend;
  readonly spending: Spending;
  readonly transfers: WalletTransfers;
  readonly receipts: PaidReceipt[] = [];
  /** Pays by standard x402, from the wallet on chain. */
  readonly standard: StandardPayer;
  /** Payments by standard x402 that have not bought a response yet; several for one request if it was made in parallel. */
  readonly unfinished = new Set<StandardPayment>();
  /** Pays through the bank; runs within `during`. */
  readonly paying: PayingFetch;
  readonly #calls = new AsyncLocalStorage<PaidFetch>();
  #nowMs = 0;

  constructor(wallet: AgentWallet, backend: Backend) {
    const { baseUrl, fetch: fetcher, chain, facts } = backend;
    this.wallet = wallet;
    this.backend = backend;
    this.client = new AgentClient({ baseUrl, wallet, fetch: fetcher, chain });
    this.spending = new Spending(() => worldNowMs(backend));
    this.transfers = new WalletTransfers(chain);
    this.standard = new StandardPayer({ wallet, chain, usdcMint: facts.usdcMint });
    this.paying = payingFetch((url, init) => this.fetchService(url, init), this.#payer(), {
      // `most` of a call is checked when it pays.
      maxAmount: { USDC: MAX_AMOUNT, SOL: MAX_AMOUNT },
      usdcMint: facts.usdcMint,
      clock: { nowMs: () => this.#nowMs },
      wait: async (ms) => {
        await backend.wait(ms);
        await this.#readClock();
      },
    });
  }

  /** Calls a service. Redirects are not followed, since they may lead to a host that is not allowed. */
  fetchService(url: string, init?: RequestInit): Promise<Response> {
    return this.backend.fetchService(url, { ...init, redirect: 'manual' });
  }

  /** Runs a call of `fetch_paid`, whose payments then obey its limits. */
  async during<T>(fetching: PaidFetch, work: () => Promise<T>): Promise<T> {
    // The bank forgets Idempotency-Keys by the world's clock, which may have jumped.
    await this.#readClock();
    return this.#calls.run(fetching, work);
  }

  /** Throws for a payment beyond the limit of a call, so that the user is not asked about it, or one without the user's consent. */
  async requireAllowed(rules: PaymentRules, payment: Payee & CountedPayment): Promise<void> {
    await this.spending.check(payment, rules.options.maxSpend);
    requireConsent(rules, payment);
  }

  /** Makes a payment of the bank within the limits of a call. */
  async pay<T extends { readonly tx_signature?: string | null }>(
    rules: PaymentRules,
    payment: Payee & CountedPayment,
    work: () => Promise<T>,
  ): Promise<T> {
    await this.requireAllowed(rules, payment);
    return this.spending.pay(payment, rules.options.maxSpend, work, {
      nameOf: ({ tx_signature: signature }) => signature ?? null,
      isUnpaid: (error, isRepeated) => this.#isUnpaid(error, isRepeated),
    });
  }

  /**
   * Whether a payment was certainly not made. A fault can replace any response, so the effects of the request decide where they are known.
   */
  async #isUnpaid(error: unknown, isRepeated: boolean): Promise<boolean> {
    if (!(error instanceof BankError)) return error instanceof ToolRefusal;
    const { status, code, requestId } = error;
    const isRefused = status < SERVER_ERROR;
    if (isRepeated && !(isRefused && SAYS_UNPAID.has(code))) return false;
    try {
      const { events } = await this.backend.control.do('explain', { id: requestId ?? '-' });
      const isVoided = events.some(
        (event) => event.kind === 'entry' && (event.facts as Facts).kind === 'outflow.voided',
      );
      return (
        isVoided ||
        events.every((event) => event.kind === 'request' && !(isRepeated && event.faults.length > 0))
      );
    } catch {
      return isRefused && !isRepeated;
    }
  }

  /** Checks a service's terms. Throws ToolRefusal `wrong_recipient`, `too_expensive`. */
  checkPrice(fetching: PaidFetch, price: Money & Pick<Payee, 'to'>): void {
    const refusal = this.priceRefusal(fetching, price);
    if (refusal !== null) throw refusal;
  }

  /** Why a service's terms are not acceptable: `wrong_recipient`, `too_expensive`; null if they are. */
  priceRefusal({ most, recipient }: PaidFetch, price: Money & Pick<Payee, 'to'>): ToolRefusal | null {
    if (recipient !== null && recipient !== price.to)
      return new ToolRefusal(
        'wrong_recipient',
        'The service asks for a payment to a wallet other than recipient. Nothing was paid.',
        { recipient: price.to, expected: recipient },
      );
    if (price.token === most.token && price.amountBase <= most.amountBase) return null;
    return new ToolRefusal(
      'too_expensive',
      `The service asks for ${moneyText(price)}, more than max_amount. Nothing was paid.`,
      { price: moneyText(price), max_amount: moneyText(most) },
    );
  }

  /** Throws ToolRefusal `invalid_wallet` for a program or a sysvar: tokens sent there would be lost. */
  async checkPayee({ to, toName }: Pick<Payee, 'to' | 'toName'>): Promise<void> {
    if (isReservedAddress(to) || (await this.backend.chain.isProgram(to)))
      throw new ToolRefusal('invalid_wallet', `${toName}: is a program or a sysvar, which has no key`);
  }

  keep(fetching: PaidFetch, receipt: PaidReceipt): void {
    fetching.paid = receipt;
    this.receipts.push(receipt);
    if (this.receipts.length > KEPT_RECEIPTS) this.receipts.shift();
  }

  async #readClock(): Promise<void> {
    this.#nowMs = await worldNowMs(this.backend);
  }

  #payer(): Payer {
    return {
      pay: async (body, options = {}) => {
        const fetching = this.#calls.getStore();
        if (fetching === undefined) throw new Error('a payment outside of a call');
        const price = moneyOf(body.amount, body.token);
        // Request ids, from which the key derives, repeat after a revert and in another world.
        const { idempotencyKey } = options;
        const key = idempotencyKey === undefined ? null : callHash('x402Pay', { ...body, idempotencyKey });
        const payment = {
          ...price,
          to: body.recipient,
          toName: 'recipient',
          texts: { url: fetching.url },
          key,
        };
        this.checkPrice(fetching, payment);
        const answer = await this.pay(fetching.rules, payment, () => this.client.pay(body, options));
        const { receipt } = answer;
        const { recipient, amount, token } = body;
        const url = body.service_url ?? fetching.url;
        this.keep(fetching, { url, amount, token, recipient, tx_signature: receipt.tx_signature, receipt });
        return answer;
      },
    };
  }
}
