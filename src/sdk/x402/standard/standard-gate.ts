import { MEMO_PROGRAM } from '../../../chain/solana/addresses.js';
import { createHash } from 'node:crypto';
import { MalformedTransaction, type WireTransaction, parseTransaction } from '../../../chain/solana/wire.js';
import { type PaymentRequest, encodeHeader, lifetimeOf } from '../../../core/domain/payment-request.js';
import type { Admission, AskNow, GateParts } from '../admission.js';
import type { Resource } from '../binding.js';
import { objectIn } from '../headers.js';
import type {
  AskedPayment,
  Settled,
  StandardFacilitator,
  StandardPayment,
  StandardRequirements,
} from '../ports.js';
import { type Checked, passed, refused } from '../refusals.js';
import { standardOffer, versionOne } from './offer.js';

const MAX_TRANSACTION_CHARACTERS = 2_048;

/** The headers in which clients of standard x402 send payments, and the headers that return the results. */
const VERSIONS = [
  { version: 2, request: 'payment-signature', response: 'payment-response' },
  { version: 1, request: 'x-payment', response: 'x-payment-response' },
] as const;

/** The standard payment in a request's headers; null when there is none. */
export function standardHeader(request: Request) {
  for (const { version, request: name, response: responseName } of VERSIONS) {
    const value = request.headers.get(name);
    if (value !== null) return { version, value, responseName };
  }
  return null;
}

/** A payment in a header of standard x402, and the name of the response header for the result. */
export type StandardHeader = NonNullable<ReturnType<typeof standardHeader>>;

interface Sent {
  readonly payload: object;
  /** Names the payment request, so that no other paywall serves the payment; null in early clients of version 1. */
  readonly memo: string | null;
  /** Hash of the signed message: equal messages are one payment, whatever their signatures. */
  readonly id: string;
}

function sentIn(header: StandardHeader): Checked<Sent> {
  const payload = objectIn(header.value);
  const inner = payload?.['payload'] as { transaction?: unknown } | null | undefined;
  const text = inner?.transaction;
  if (payload === null || payload['x402Version'] !== header.version)
    return refused('payment_malformed', { reason: `not base64 of JSON with x402Version ${header.version}` });
  if (typeof text !== 'string' || text.length > MAX_TRANSACTION_CHARACTERS)
    return refused('payment_malformed', { reason: 'payload.transaction is missing or too long' });
  try {
    const wire = parseTransaction(Buffer.from(text, 'base64'));
    const hash = createHash('sha256').update(wire.message).digest('hex');
    return passed({ payload, memo: memoOf(wire), id: `standard/${hash}` });
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    return refused('payment_malformed', { reason: error.message });
  }
}

function memoOf({ instructions, keys }: WireTransaction): string | null {
  const memo = instructions.find(({ programIdIndex }) => keys[programIdIndex] === MEMO_PROGRAM);
  return memo === undefined ? null : Buffer.from(memo.data).toString('utf8');
}

type SettledPayment = Extract<Settled, { readonly result: object }>;

interface StandardParts extends GateParts {
  readonly facilitator: StandardFacilitator;
}

/**
 * Admits payments of standard x402. A facilitator verifies them before the service runs, and settles them afterwards. A payment that was
 * settled but bought nothing, since a response was lost or it was not confirmed yet, is admitted when it is sent again.
 */
export class StandardGate {
  readonly #parts: StandardParts;

  constructor(parts: StandardParts) {
    this.#parts = parts;
  }

  /**
   * Admits a request with a payment. Refuses in this order: `payment_malformed`, `payment_unbound` (version 2, or a price in SOL),
   * `bank_unavailable` or `payment_unknown_request`, `payment_other_resource`, `payment_expired`, `payment_used`, `payment_invalid`,
   * `facilitator_unavailable`; on settlement, `payment_not_settled`, `facilitator_unavailable`, `chain_unavailable`.
   */
  async admit(header: StandardHeader, resource: Resource, askNow: AskNow): Promise<Checked<Admission>> {
    const sent = sentIn(header);
    if (!sent.ok) return sent;
    const terms = await this.#termsOf(sent.value, { header, resource, askNow });
    if (!terms.ok) return terms;
    const { id, payload } = sent.value;
    const { request } = terms.value;
    const payment: StandardPayment = {
      x402Version: header.version,
      paymentPayload: payload,
      paymentRequirements: requirementsOf(terms.value, header.version, resource),
    };
    const { storage } = this.#parts;
    if (!(await storage.claim(id, terms.value.redeemableUntilMs)))
      return refused('payment_used', { request_id: request.request_id, payment: id });
    const release = async () => storage.release(id);
    const settle = () => this.#settle(payment, sent.value, request);
    const verified = await this.#verify(payment, sent.value.memo, settle);
    if (!verified.ok) {
      await release();
      return verified;
    }
    const { amount, token } = request;
    const { payer, earlier } = verified.value;
    return passed({
      payment: { kind: 'standard', id, payer, amount, token, txSignature: earlier?.txSignature ?? null },
      release,
      settle: async () => {
        const settled = earlier === null ? await settle() : passed(earlier);
        if (settled.ok) return passed({ [header.responseName]: encodeHeader(settled.value.result) });
        await release();
        return settled;
      },
    });
  }

  async #termsOf(
    { memo }: Sent,
    { header, resource, askNow }: { header: StandardHeader; resource: Resource; askNow: AskNow },
  ): Promise<Checked<AskedPayment>> {
    if (memo === null && header.version === 1) return this.#currentTerms(resource, askNow);
    if (memo === null) return refused('payment_unbound', { resource: resource.url });
    const terms = await this.#parts.storage.find(memo);
    if (terms?.standard === null || terms === null)
      return refused('payment_unknown_request', { request_id: memo });
    if (terms.fingerprint !== resource.fingerprint)
      return refused('payment_other_resource', { request_id: memo, resource: resource.url });
    if (this.#parts.clock.nowMs() >= terms.redeemableUntilMs)
      return refused('payment_expired', { expired_at: terms.request.expires_at });
    return passed(terms);
  }

  /**
   * The terms for early clients of version 1, which write no memo. Their payment is not bound to a request: it buys one response at the
   * current price, and the chain accepts the transaction only once.
   */
  async #currentTerms(resource: Resource, askNow: AskNow): Promise<Checked<AskedPayment>> {
    const now = await askNow();
    if (!now.ok) return now;
    const { payment_request: request } = now.value;
    const offer = standardOffer(now.value, resource, '');
    if (offer === null) return refused('payment_unbound', { resource: resource.url });
    const { memo: _memo, ...extra } = offer.requirements.extra;
    return passed({
      request,
      standard: { ...offer.requirements, extra },
      fingerprint: resource.fingerprint,
      redeemableUntilMs: this.#parts.clock.nowMs() + lifetimeOf(request),
    });
  }

  /** Verifies a payment. One that was settled before, without a response, is not valid any more; settling it again says so. */
  async #verify(
    payment: StandardPayment,
    memo: string | null,
    settle: () => Promise<Checked<SettledPayment>>,
  ): Promise<Checked<{ readonly payer: string; readonly earlier: SettledPayment | null }>> {
    const verified = await this.#parts.facilitator.verify(payment);
    if (verified.kind === 'valid') return passed({ payer: verified.payer, earlier: null });
    const { kind, reason } = verified;
    if (kind === 'unreachable') return refused('facilitator_unavailable', { reason });
    const settled = memo === null ? null : await settle();
    if (settled === null || (!settled.ok && settled.refusal.code === 'payment_not_settled'))
      return refused('payment_invalid', { reason });
    if (!settled.ok) return settled;
    const { payer } = settled.value.result as { readonly payer: string };
    return passed({ payer, earlier: settled.value });
  }

  /** Settles a payment and credits it. Where that is not known to have happened, the payment may be sent again. */
  async #settle(
    payment: StandardPayment,
    { id, memo }: Sent,
    { amount: expected_amount, token: expected_token }: PaymentRequest,
  ): Promise<Checked<SettledPayment>> {
    const settled = await this.#parts.facilitator.settle(payment);
    // Without a memo, another paywall may have served what was settled before. As it buys nothing later, it is served now, if not credited.
    if (settled.kind === 'settled' || (settled.kind === 'repeated' && memo !== null)) {
      const { txSignature: tx_signature } = settled;
      const collected = await this.#parts.collect({ tx_signature, expected_amount, expected_token });
      if (collected.ok || memo === null) return passed(settled);
      return refused('chain_unavailable', { ...collected.refusal.details, payment: id });
    }
    if (settled.kind === 'repeated')
      return refused('payment_not_settled', { reason: 'duplicate_settlement' });
    const details = { payment: id, reason: settled.reason };
    if (settled.kind === 'pending')
      return refused('chain_unavailable', { ...details, tx_signature: settled.txSignature });
    return refused(settled.kind === 'failed' ? 'payment_not_settled' : 'facilitator_unavailable', details);
  }
}

function requirementsOf({ standard, request }: AskedPayment, version: 1 | 2, { url }: Resource): object {
  const requirements = standard as StandardRequirements;
  return version === 2
    ? requirements
    : versionOne(requirements, { url, description: request.description ?? '' });
}
