import { LAST_CLOCK_MS, isoOf } from '../core/domain/calendar.js';
import { type Token, amountOf } from '../core/domain/money.js';
import { type PaymentRequest, encodeHeader } from '../core/domain/payment-request.js';
import type { BankAddresses } from './addresses.js';

export interface RequestTerms {
  readonly id: string;
  readonly recipient: string;
  readonly payTo: string;
  readonly token: Token;
  readonly amountBase: bigint;
  readonly description: string | null;
  readonly nowMs: number;
  readonly expiresInSeconds: number;
  readonly addresses: BankAddresses;
}

/** A payment request in the bank's own form and, for USDC, in the form of standard x402 v2 (which has no native SOL). */
export function paymentRequest(terms: RequestTerms) {
  const { token, addresses, nowMs } = terms;
  const request: PaymentRequest = {
    version: '1',
    request_id: terms.id,
    recipient: terms.recipient,
    pay_to: terms.payTo,
    amount: amountOf(token, terms.amountBase).toNumber(),
    token,
    asset: addresses.assetOf(token),
    network: addresses.caip2,
    description: terms.description,
    issued_at: isoOf(nowMs),
    // Later years have six digits, which no request may have.
    expires_at: isoOf(Math.min(nowMs + terms.expiresInSeconds * 1_000, LAST_CLOCK_MS)),
  };
  const headers: Record<string, string> = { 'X-Payment-Request': encodeHeader(request) };
  if (token === 'USDC') headers['PAYMENT-REQUIRED'] = encodeHeader(standardRequest(request, terms));
  return { payment_request: request, headers };
}

// PaymentRequired of x402 v2. The service that forwards it may replace the resource's name by its own URL.
function standardRequest(request: PaymentRequest, terms: RequestTerms): object {
  return {
    x402Version: 2,
    error: 'PAYMENT-SIGNATURE header is required',
    resource: { url: `urn:uuid:${terms.id}`, description: terms.description ?? '', mimeType: '' },
    accepts: [
      {
        scheme: 'exact',
        network: request.network,
        amount: terms.amountBase.toString(),
        asset: request.asset,
        payTo: terms.payTo,
        maxTimeoutSeconds: terms.expiresInSeconds,
        extra: { feePayer: terms.addresses.facilitator.address },
      },
    ],
  };
}
