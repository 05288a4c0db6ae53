import { createHash } from 'node:crypto';
import type { Token } from '../../../core/domain/money.js';
import type { PaymentReceipt } from '../../../core/domain/payment-request.js';
import type { PaywallClock } from '../ports.js';
import type { PaymentRecord, PaymentStore } from './payment-store.js';
import type { Offer } from './offer.js';
import { PaymentError } from './payment-error.js';

/** The bank as a payer uses it. The client of this package is one. */
export interface Payer {
  pay(
    body: {
      recipient: string;
      amount: number;
      token: Token;
      service_url?: string;
      payment_request?: string;
    },
    options?: { idempotencyKey?: string },
  ): Promise<{ readonly receipt: PaymentReceipt }>;
}

/** How often something is tried, how long it may take, and how the time between is spent. */
export interface Patience {
  readonly attempts: number;
  readonly timeoutMs: number;
  wait(ms: number): Promise<void>;
}

const FIRST_WAIT_MS = 200;

// The bank remembers keys for 24 hours. Clocks may differ by an hour.
const KEY_LIFETIME_MS = 23 * 3_600_000;

/**
 * Refusals that the bank gives only when nothing was paid under the key before: it looks for the key first. Others (a token that has
 * expired, too many requests) say nothing about an earlier attempt.
 */
const SAYS_UNPAID: ReadonlySet<string> = new Set([
  'unsupported_token',
  'invalid_wallet',
  'invalid_amount',
  'payment_request_expired',
  'insufficient_balance',
  'daily_limit_exceeded',
  'transaction_failed',
]);

const TOO_MANY_REQUESTS = 429;

/** Milliseconds to wait after a failed attempt, counted from 0. */
export function pauseMs(attempt: number): number {
  return FIRST_WAIT_MS * 2 ** attempt;
}

/** The Idempotency-Key for a payment request: the same for the same request of the same service to the same recipient. */
export function paymentKey({ request }: Offer, origin: string): string {
  const text = JSON.stringify([origin, request.recipient, request.request_id]);
  return `x402-${createHash('sha256').update(text).digest('hex')}`;
}

/** A promise's outcome, or a rejection when it takes too long; what it stands for goes on. */
function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the bank did not answer within ${ms} ms`)), ms);
    work.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

function refusalIn(error: unknown): Refusal | null {
  const { code, status } = (error ?? {}) as Partial<Refusal>;
  return typeof code === 'string' && typeof status === 'number' ? (error as Refusal) : null;
}

/** Pays what services ask for, each payment request at most once. */
export class PaymentExecutor {
  readonly #payer: Payer;
  readonly #store: PaymentStore;
  readonly #patience: Patience;
  readonly #clock: PaywallClock;

  constructor(payer: Payer, notes: PaymentStore, patience: Patience, clock: PaywallClock) {
    this.#clock = clock;
    this.#payer = payer;
    this.#store = notes;
    this.#patience = patience;
  }

  /**
   * Pays a note, or takes it up again where an earlier call lost the answer. Throws PaymentError: `payment_refused`, `request_expired`
   * (nothing was paid, and the note is gone), `payment_unknown` (the note stays).
   */
  async pay(note: PaymentRecord, { isTakenUp }: { readonly isTakenUp: boolean }): Promise<PaymentReceipt> {
    const { request, header, url, id } = note;
    const isForgotten = () => this.#clock.nowMs() - note.begunMs >= KEY_LIFETIME_MS;
    const { recipient, amount, token } = request;
    const body = { recipient, amount, token, service_url: url, payment_request: header };
    let last: unknown = null;
    let mayBePaid = isTakenUp;
    if (note.isInDoubt) throw new PaymentError('payment_unknown', { request, details: { payment: id } });
    for (let attempt = 0; attempt < this.#patience.attempts; attempt += 1) {
      if (attempt > 0) await this.#patience.wait(pauseMs(attempt - 1));
      // Without the bank's memory of the key the same call would be another payment.
      if (isForgotten()) break;
      try {
        const paying = this.#payer.pay(body, { idempotencyKey: id });
        const { receipt } = await within(paying, this.#patience.timeoutMs);
        await this.#store.put({ ...note, receipt });
        return receipt;
      } catch (error) {
        last = error;
        await this.#judge(note, error, mayBePaid);
        mayBePaid ||= refusalIn(error)?.status !== TOO_MANY_REQUESTS;
      }
    }
    throw new PaymentError('payment_unknown', { request, details: { payment: id }, cause: last });
  }

  /** Returns when the same payment may be tried again under its key. */
  async #judge(note: PaymentRecord, error: unknown, mayBePaid: boolean): Promise<void> {
    const refusal = refusalIn(error);
    if (refusal === null) return;
    const { request, id } = note;
    // The bank has sent the transfer and does not know what became of it. One that calls it pending answers the same key with that very
    // payment; of another nothing is known, and only a refusal that names no transaction changed nothing.
    const isSent = refusal.details?.['tx_signature'] !== undefined && refusal.status >= 500;
    if (isSent && refusal.details?.['status'] !== 'pending') {
      await this.#store.put({ ...note, isInDoubt: true });
      const details = { payment: id, tx_signature: refusal.details?.['tx_signature'] };
      throw new PaymentError('payment_unknown', { request, details, cause: error });
    }
    if (refusal.status >= 500 || refusal.status === TOO_MANY_REQUESTS) return;
    if (mayBePaid && !SAYS_UNPAID.has(refusal.code))
      throw new PaymentError('payment_unknown', {
        request,
        details: { payment: id, bank_code: refusal.code },
        cause: error,
      });
    await this.#store.remove(id);
    const code = refusal.code === 'payment_request_expired' ? 'request_expired' : 'payment_refused';
    throw new PaymentError(code, { request, details: { bank_code: refusal.code }, cause: error });
  }
}
