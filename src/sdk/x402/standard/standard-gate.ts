import { MEMO_PROGRAM } from '../../../chain/solana/addresses.js';
import { createHash } from 'node:crypto';
import { MalformedTransaction, type WireTransaction, parseTransaction } from '../../../chain/solana/wire.js';
import { encodeHeader, lifetimeOf } from '../../../core/domain/payment-request.js';
import type { Admission, AskNow, GateParts } from '../admission.js';
import type { Resource } from '../binding.js';
import { objectIn } from '../headers.js';
import type { AskedPayment, StandardFacilitator, StandardPayment, StandardRequirements } from '../ports.js';
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
  readonly wire: WireTransaction;
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
    return passed({ payload, wire, id: `standard/${hash}` });
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    return refused('payment_malformed', { reason: error.message });
  }
}

function memoOf({ instructions, keys }: WireTransaction): string | null {
  const memo = instructions.find(({ programIdIndex }) => keys[programIdIndex] === MEMO_PROGRAM);
  return memo === undefined ? null : Buffer.from(memo.data).toString('utf8');
}

interface StandardParts extends GateParts {
  readonly facilitator: StandardFacilitator;
}

/** Admits payments of standard x402. A facilitator verifies them before the service runs, and settles them afterwards. */
export class StandardGate {
  readonly #parts: StandardParts;

  constructor(parts: StandardParts) {
    this.#parts = parts;
  }

  /**
   * Admits a request with a payment. Refuses in this order: `payment_malformed`, `payment_unbound` (version 2, or a price in SOL),
   * `bank_unavailable` or `payment_unknown_request`, `payment_other_resource`, `payment_expired`, `payment_used`, `payment_invalid`,
   * `facilitator_unavailable`; on settlement, `payment_not_settled`, `facilitator_unavailable`.
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
    const { storage, facilitator } = this.#parts;
    if (!(await storage.claim(id, terms.value.redeemableUntilMs)))
      return refused('payment_used', { request_id: request.request_id });
    const release = async () => storage.release(id);
    const verified = await facilitator.verify(payment);
    if (verified.kind !== 'valid') {
      await release();
      const code = verified.kind === 'invalid' ? 'payment_invalid' : 'facilitator_unavailable';
      return refused(code, { reason: verified.reason });
    }
    const { amount, token } = request;
    return passed({
      payment: { kind: 'standard', id, payer: verified.payer, amount, token, txSignature: null },
      release,
      settle: () => this.#settle(payment, header, release),
    });
  }

  async #termsOf(
    { wire }: Sent,
    { header, resource, askNow }: { header: StandardHeader; resource: Resource; askNow: AskNow },
  ): Promise<Checked<AskedPayment>> {
    const memo = memoOf(wire);
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

  async #settle(
    payment: StandardPayment,
    { responseName }: StandardHeader,
    release: () => Promise<void>,
  ): ReturnType<Admission['settle']> {
    const settled = await this.#parts.facilitator.settle(payment);
    if (settled.kind === 'settled') {
      await this.#parts.collect(settled.txSignature);
      return passed({ [responseName]: encodeHeader(settled.result) });
    }
    // The payer may send it again, even if it went through: a chain accepts a transaction only once.
    await release();
    const code = settled.kind === 'failed' ? 'payment_not_settled' : 'facilitator_unavailable';
    return refused(code, { reason: settled.reason });
  }
}

function requirementsOf({ standard, request }: AskedPayment, version: 1 | 2, { url }: Resource): object {
  const requirements = standard as StandardRequirements;
  return version === 2
    ? requirements
    : versionOne(requirements, { url, description: request.description ?? '' });
}
