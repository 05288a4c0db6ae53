import { createHash } from 'node:crypto';
import type { Token } from '../../../core/domain/money.js';
import type { PaymentReceipt } from '../../../core/domain/payment-request.js';
import type { PaywallClock } from '../ports.js';
import type { PaymentRecord, PaymentStore } from './payment-store.js';
import type { Offer } from './offer.js';
import { PaymentError } from './payment-error.js';

/** The bank for a payer. This package's client implements it. */
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

/** Retry policy: attempts, timeout of each, and how to wait between them. */
export interface Patience {
  readonly attempts: number;
  readonly timeoutMs: number;
  wait(ms: number): Promise<void>;
}

const FIRST_WAIT_MS = 200;

// The bank stores keys for 24 hours. Clocks may differ by an hour.
const KEY_LIFETIME_MS = 23 * 3_600_000;

const TOO_MANY_REQUESTS = 429;

/** The longest `service_url` that the bank accepts. */
const MAX_URL_CHARACTERS = 2_048;

/** The pause after a failed attempt in milliseconds; attempts count from 0. */
export function pauseMs(attempt: number): number {
  return FIRST_WAIT_MS * 2 ** attempt;
}

/** The Idempotency-Key for a payment request, derived from its id, the service's origin and the recipient. */
export function paymentKey({ request }: Offer, origin: string): string {
  const text = JSON.stringify([origin, request.recipient, request.request_id]);
  return `x402-${createHash('sha256').update(text).digest('hex')}`;
}

/** Rejects when `work` takes longer than `ms`; the work itself is not cancelled. */
function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the bank did not respond within ${ms} ms`)), ms);
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

/** What executes payments, each payment request at most once. */
export interface PaymentParts {
  readonly payer: Payer;
  readonly store: PaymentStore;
  readonly patience: Patience;
  readonly clock: PaywallClock;
}

/**
 * Executes a payment record, or resumes one whose response was lost by an earlier call. Throws PaymentError: `payment_refused`,
 * `request_expired` (nothing was paid, and the record is removed), `payment_unknown` (the record stays).
 */
export async function executePayment(
  { payer, store, patience, clock }: PaymentParts,
  record: PaymentRecord,
  { isTakenUp }: { readonly isTakenUp: boolean },
): Promise<PaymentReceipt> {
  const { request, header, url, id } = record;
  const isForgotten = () => clock.nowMs() - record.begunMs >= KEY_LIFETIME_MS;
  const { recipient, amount, token } = request;
  // The payment request binds the payment to the resource, so it does not need a URL that the bank would refuse.
  const named = url.length > MAX_URL_CHARACTERS ? {} : { service_url: url };
  const body = { recipient, amount, token, ...named, payment_request: header };
  let last: unknown = null;
  let mayBePaid = isTakenUp;
  if (record.isInDoubt) throw new PaymentError('payment_unknown', { request, details: { payment: id } });
  for (let attempt = 0; attempt < patience.attempts; attempt += 1) {
    if (attempt > 0) await patience.wait(pauseMs(attempt - 1));
    // After the bank has dropped the key, the same call would be another payment.
    if (isForgotten()) break;
    try {
      const paying = payer.pay(body, { idempotencyKey: id });
      const { receipt } = await within(paying, patience.timeoutMs);
      await store.put({ ...record, receipt });
      return receipt;
    } catch (error) {
      last = error;
      await checkRefusal(store, { record, error, mayBePaid });
      mayBePaid ||= refusalIn(error)?.status !== TOO_MANY_REQUESTS;
    }
  }
  throw new PaymentError('payment_unknown', { request, details: { payment: id }, cause: last });
}

/** Returns when the payment may be retried under its key; throws PaymentError otherwise. */
async function checkRefusal(
  store: PaymentStore,
  { record, error, mayBePaid }: { record: PaymentRecord; error: unknown; mayBePaid: boolean },
): Promise<void> {
  const refusal = refusalIn(error);
  if (refusal === null) return;
  const { request, id } = record;
  // The bank sent the transfer and does not know its outcome. If it reports it as pending, the same key returns that same payment;
  // otherwise nothing is known, and only a refusal without a transaction guarantees that nothing changed.
  const isSent = refusal.details?.['tx_signature'] !== undefined && refusal.status >= 500;
  if (isSent && refusal.details?.['status'] !== 'pending') {
    await store.put({ ...record, isInDoubt: true });
    const details = { payment: id, tx_signature: refusal.details?.['tx_signature'] };
    throw new PaymentError('payment_unknown', { request, details, cause: error });
  }
  if (refusal.status >= 500 || refusal.status === TOO_MANY_REQUESTS) return;
  // A refusal of a repeat does not prove that the first attempt has not paid: a proxy or a fault may have sent it.
  if (mayBePaid)
    throw new PaymentError('payment_unknown', {
      request,
      details: { payment: id, bank_code: refusal.code },
      cause: error,
    });
  await store.remove(id);
  const code = refusal.code === 'payment_request_expired' ? 'request_expired' : 'payment_refused';
  throw new PaymentError(code, { request, details: { bank_code: refusal.code }, cause: error });
}
