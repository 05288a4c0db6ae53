import { isInstant } from '../../../core/domain/calendar.js';
import { isAddress } from '../../../core/domain/inputs.js';
import { MAX_AMOUNT, TOKENS, type Token, parseAmount } from '../../../core/domain/money.js';
import type { PaymentRequest } from '../../../core/domain/payment-request.js';
import { USDC_MINTS, SOL_ASSET } from '../../../chain/genesis.js';
import { isObject } from '../../../core/json.js';
import { checkMembers } from '../../../core/suggestion.js';
import { objectIn } from '../headers.js';
import type { PaywallClock } from '../ports.js';
import { PaymentError } from './payment-error.js';

const MAX_ID_CHARACTERS = 200;

/** The maximum price of one response, in token units; payments in other tokens are refused. */
export type MaxAmount = Partial<Readonly<Record<Token, number>>>;

/** The rules against which a paying client checks a payment request. */
export interface OfferRules {
  readonly maxAmount: MaxAmount;
  /** The service's expected recipient address; null when unknown. */
  readonly recipient: string | null;
  /** Detects expired requests before the bank is called; null leaves that to the bank. */
  readonly clock: PaywallClock | null;
  /** Mints that count as USDC. */
  readonly usdcMints: readonly string[];
}

/** USDC on mainnet and devnet. */
export const KNOWN_USDC: readonly string[] = Object.values(USDC_MINTS);

/** A payment request as received. */
export interface Offer {
  readonly header: string;
  readonly request: PaymentRequest;
}

/** The payment request of a 402 response. Throws PaymentError: `unsupported_payment`, `malformed_request`. */
export function readOffer(response: Response): Offer {
  const header = response.headers.get('x-payment-request');
  if (header === null) {
    const isStandard = response.headers.has('payment-required');
    throw new PaymentError('unsupported_payment', { details: { is_standard_x402: isStandard } });
  }
  const value = objectIn(header);
  const wrong = (reason: string) => new PaymentError('malformed_request', { details: { reason } });
  if (value === null) throw wrong('not padded base64 of a JSON object');
  const { request_id: id, recipient, pay_to: payTo, token, amount } = value;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARACTERS) throw wrong('request_id');
  for (const [name, address] of Object.entries({ recipient, pay_to: payTo }))
    if (!isAddress(address)) throw wrong(name);
  if (typeof token !== 'string') throw wrong('token');
  if (typeof amount !== 'number') throw wrong('amount');
  if (!isInstant(value['issued_at'])) throw wrong('issued_at');
  if (!isInstant(value['expires_at'])) throw wrong('expires_at');
  return { header, request: value as unknown as PaymentRequest };
}

/** The limits in the option `maxAmount`. Throws TypeError. */
export function limitsOf(maxAmount: number | MaxAmount): MaxAmount {
  const limits = isObject(maxAmount) ? maxAmount : { USDC: maxAmount };
  checkMembers('maxAmount', limits, TOKENS);
  if (Object.values(limits).every((limit: unknown) => typeof limit === 'number' && limit >= 0)) return limits;
  throw new TypeError('maxAmount: must be a number from 0, such as 0.5, or an object such as { SOL: 0.01 }');
}

function checkAmount(request: PaymentRequest, maxAmount: MaxAmount): void {
  const { token, amount } = request;
  const limit = maxAmount[token];
  if (limit === undefined)
    throw new PaymentError('wrong_token', {
      request,
      details: { token, allowed: TOKENS.filter((known) => maxAmount[known] !== undefined) },
    });
  const price = parseAmount(amount, token);
  if (!price.ok) throw new PaymentError('malformed_request', { request, details: { reason: 'amount' } });
  const most = parseAmount(Math.min(limit, MAX_AMOUNT), token);
  if (!most.ok || price.value > most.value)
    throw new PaymentError('too_expensive', { request, details: { amount, limit, token } });
}

/**
 * Checks a payment request before anything is paid. Throws PaymentError: `wrong_token`, `malformed_request`, `too_expensive`,
 * `wrong_recipient`, `request_expired`.
 */
export function checkOffer({ request }: Offer, rules: OfferRules): void {
  const { token, asset, recipient } = request;
  checkAmount(request, rules.maxAmount);
  const assets = token === 'SOL' ? [SOL_ASSET] : rules.usdcMints;
  if (!assets.includes(asset))
    throw new PaymentError('wrong_token', { request, details: { token, asset, known: assets } });
  if (rules.recipient !== null && recipient !== rules.recipient)
    throw new PaymentError('wrong_recipient', { request, details: { recipient, expected: rules.recipient } });
  const expiresMs = Date.parse(request.expires_at);
  const isOver = rules.clock !== null && rules.clock.nowMs() >= expiresMs;
  if (isOver || expiresMs <= Date.parse(request.issued_at))
    throw new PaymentError('request_expired', { request, details: { expired_at: request.expires_at } });
}
