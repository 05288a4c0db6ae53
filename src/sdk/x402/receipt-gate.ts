import { type Token, parseAmount } from '../../core/domain/money.js';
import { type PaymentReceipt, type PaymentRequest, lifetimeOf } from '../../core/domain/payment-request.js';
import type { Admission, AskNow, GateParts } from './admission.js';
import type { Resource } from './binding.js';
import type { ReceiptVerifier } from './receipt-verifier.js';
import { type Checked, passed, refused } from './refusals.js';

/** The longest lifetime of a payment request. */
const LONGEST_MS = 365 * 86_400_000;

interface ReceiptParts extends GateParts {
  readonly verifier: ReceiptVerifier;
  readonly recipient: string;
  /** How long after its payment request's expiry a receipt is accepted, and the tolerated clock skew. */
  readonly graceMs: number;
}

/** The terms that a receipt must match. */
interface Terms {
  readonly request: PaymentRequest;
  /** From when on the receipt is refused; its claim is kept until `claimedUntilMs`. */
  readonly untilMs: number;
  readonly claimedUntilMs: number;
}

function baseOf(amount: number, token: Token): bigint {
  const parsed = parseAmount(amount, token);
  return parsed.ok ? parsed.value : 0n;
}

/** Verifies the bank's receipts and admits the requests that carry them. */
export class ReceiptGate {
  readonly #parts: ReceiptParts;

  constructor(parts: ReceiptParts) {
    this.#parts = parts;
  }

  /**
   * Admits a request with a receipt, and uses the receipt up. Refuses in this order: `receipt_malformed`, `receipt_forged`,
   * `receipt_altered`, `receipt_wrong_recipient`, `receipt_unbound`, `receipt_unknown_request`, `receipt_other_resource`,
   * `bank_unavailable`, `receipt_wrong_network`, `receipt_wrong_token`, `receipt_too_small`, `receipt_not_yet_valid`,
   * `receipt_expired`, `receipt_not_on_chain` or `chain_unavailable`, `receipt_used`.
   */
  async admit(header: string, resource: Resource, askNow: AskNow): Promise<Checked<Admission>> {
    const verified = this.#parts.verifier.verify(header);
    if (!verified.ok) return verified;
    const receipt = verified.value;
    const terms = await this.#termsOf(receipt, resource, askNow);
    if (!terms.ok) return terms;
    const fit = this.#fits(receipt, terms.value);
    if (!fit.ok) return fit;
    const { storage, collect } = this.#parts;
    const { payment_id: id, tx_signature: txSignature } = receipt;
    const collected = await collect({ tx_signature: txSignature });
    if (!collected.ok) return collected;
    // By the transaction: ids repeat in a world that was reverted.
    if (!(await storage.claim(txSignature, terms.value.claimedUntilMs)))
      return refused('receipt_used', { payment_id: id, request_id: receipt.request_id });
    return passed({
      payment: {
        kind: 'receipt',
        id,
        payer: receipt.payer,
        amount: receipt.amount,
        token: receipt.token,
        txSignature,
      },
      release: async () => storage.release(txSignature),
      settle: async () => passed({}),
    });
  }

  /** The terms of the payment: as issued, or the current price for a receipt that names only the URL. */
  async #termsOf(receipt: PaymentReceipt, resource: Resource, askNow: AskNow): Promise<Checked<Terms>> {
    const { recipient, storage } = this.#parts;
    if (receipt.recipient !== recipient)
      return refused('receipt_wrong_recipient', { recipient: receipt.recipient, expected: recipient });
    if (receipt.request_id !== null) {
      const issued = await storage.find(receipt.request_id);
      if (issued === null) return refused('receipt_unknown_request', { request_id: receipt.request_id });
      if (issued.fingerprint !== resource.fingerprint)
        return refused('receipt_other_resource', {
          request_id: receipt.request_id,
          resource: resource.url,
        });
      const { request, redeemableUntilMs: untilMs } = issued;
      return passed({ request, untilMs, claimedUntilMs: untilMs });
    }
    if (receipt.service_url === null) return refused('receipt_unbound', { resource: resource.url });
    if (receipt.service_url !== resource.url)
      return refused('receipt_other_resource', { paid_for: receipt.service_url, resource: resource.url });
    const now = await askNow();
    if (!now.ok) return now;
    const { payment_request: request } = now.value;
    const paidMs = Date.parse(receipt.issued_at) + this.#parts.graceMs;
    // The price may have another lifetime when the receipt is presented again.
    return passed({ request, untilMs: paidMs + lifetimeOf(request), claimedUntilMs: paidMs + LONGEST_MS });
  }

  #fits(receipt: PaymentReceipt, { request, untilMs }: Terms): Checked<void> {
    if (receipt.network !== request.network)
      return refused('receipt_wrong_network', { network: receipt.network, expected: request.network });
    if (receipt.token !== request.token || receipt.asset !== request.asset)
      return refused('receipt_wrong_token', { token: receipt.token, expected: request.token });
    if (baseOf(receipt.amount, receipt.token) < baseOf(request.amount, request.token))
      return refused('receipt_too_small', {
        paid: receipt.amount,
        asked: request.amount,
        token: request.token,
      });
    const nowMs = this.#parts.clock.nowMs();
    const issuedMs = Date.parse(receipt.issued_at);
    if (receipt.request_id !== null) {
      // Both instants are from the bank's clock, so this holds however wrong the paywall's own is.
      if (issuedMs >= Date.parse(request.expires_at))
        return refused('receipt_expired', { paid_at: receipt.issued_at, expired_at: request.expires_at });
    } else if (issuedMs > nowMs + this.#parts.graceMs)
      return refused('receipt_not_yet_valid', { paid_at: receipt.issued_at });
    if (nowMs >= untilMs)
      return refused('receipt_expired', {
        paid_at: receipt.issued_at,
        redeemable_until: new Date(untilMs).toISOString(),
      });
    return passed(undefined);
  }
}
