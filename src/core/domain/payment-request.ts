import { isInstant } from './calendar.js';
import { isAddress } from './inputs.js';
import { TOKENS, type Token } from './money.js';

/** The payment that a service requests in a 402 response: the X402PaymentRequest, as carried in X-Payment-Request. */
export interface PaymentRequest {
  readonly version: '1';
  readonly request_id: string;
  readonly recipient: string;
  /** The on-chain destination of the tokens: the recipient's collection address at the bank. */
  readonly pay_to: string;
  readonly amount: number;
  readonly token: Token;
  /** The mint; wrapped SOL for SOL. */
  readonly asset: string;
  readonly network: string;
  readonly description: string | null;
  readonly issued_at: string;
  readonly expires_at: string;
}

/** The bank's proof of a payment: the X402PaymentReceipt, as carried in X-Payment-Receipt. */
export interface PaymentReceipt {
  readonly version: '1';
  readonly payment_id: string;
  readonly request_id: string | null;
  readonly payer: string;
  readonly recipient: string;
  readonly pay_to: string;
  readonly amount: number;
  readonly token: Token;
  readonly asset: string;
  readonly network: string;
  readonly tx_signature: string;
  readonly service_url: string | null;
  readonly memo: string | null;
  readonly issued_at: string;
  /** The bank's ed25519 public key, base58, as published by discovery. */
  readonly issuer: string;
  /** base58 ed25519 signature over the RFC 8785 form of all other members. */
  readonly signature: string;
}

/**
 * The text covered by a receipt's signature: the RFC 8785 form of all members but the signature. For flat objects of strings,
 * numbers and null, JSON.stringify yields that form when the members are sorted by name. Callers pass exactly the members of a receipt.
 */
export function canonicalReceipt(receipt: Omit<PaymentReceipt, 'signature'>): string {
  const signed = Object.keys(receipt).filter((name) => name !== 'signature');
  return JSON.stringify(receipt, signed.toSorted());
}

/** Milliseconds from the issue of a request to its expiry. */
export function lifetimeOf(request: Pick<PaymentRequest, 'issued_at' | 'expires_at'>): number {
  return Date.parse(request.expires_at) - Date.parse(request.issued_at);
}

/** A header value: standard base64 of the JSON. */
export function encodeHeader(value: object): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

function text(value: unknown): value is string {
  return typeof value === 'string';
}

/** Parses an X-Payment-Request header; null when it is malformed. */
export function decodeRequest(header: string): PaymentRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const request = value as Partial<Record<keyof PaymentRequest, unknown>>;
  const sound =
    text(request.request_id) &&
    text(request.recipient) &&
    isAddress(request.recipient) &&
    text(request.pay_to) &&
    typeof request.amount === 'number' &&
    TOKENS.some((token) => token === request.token) &&
    isInstant(request.expires_at);
  return sound ? (value as PaymentRequest) : null;
}
