import bs58 from 'bs58';
import type { z } from 'zod';
import { bytesOf } from '../../chain/solana/addresses.js';
import { isAddress, isSignature } from '../../core/domain/inputs.js';
import { shortValue } from '../../core/domain/short-text.js';
import { isObject } from '../../core/json.js';
import { type PaymentReceipt, canonicalReceipt } from '../../core/domain/payment-request.js';
import { type Token, tokenUnits } from '../../core/domain/money.js';
import { uuid } from '../../core/domain/ids.js';
import { changeAt } from '../../chain/effects.js';
import { paymentReceipt, paymentRequest } from '../../contract/x402.js';
import { standardChecks } from './standard-payment-checks.js';
import { type PaymentCheck, type PaymentWorld, equal, holds, open } from './payment-check.js';
import { isSignedBy } from '../../core/ed25519.js';

const KINDS = 'a receipt, a payment request, or a payment of x402';

/** Checks the value of an X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT header, or its JSON, field by field. */
export function verifyPayment(header: string, world: PaymentWorld) {
  const { encoding, value } = decoded(header);
  if (value === null) return verification('unknown', [encoding], null);
  const [kind, checks] = Object.hasOwn(value, 'payment_id')
    ? (['receipt', receiptChecks(value, world)] as const)
    : Object.hasOwn(value, 'x402Version')
      ? (['payment', standardChecks(value, world)] as const)
      : Object.hasOwn(value, 'request_id')
        ? (['request', requestChecks(value, world)] as const)
        : (['unknown', [holds('kind', false, { expected: KINDS, got: Object.keys(value) })]] as const);
  return verification(kind, [encoding, ...checks], value);
}

function verification(
  kind: 'receipt' | 'request' | 'payment' | 'unknown',
  checks: readonly PaymentCheck[],
  value: unknown,
) {
  const shown = checks.map((check) => ({ ...check, got: shortValue(check.got) ?? null }));
  return {
    kind,
    valid: checks.every(({ verdict }) => verdict !== 'failed'),
    checks: shown,
    /** The content of the header; null when it cannot be read. */
    decoded: shortValue(value),
  };
}

/**
 * A payment header, checked field by field.
 * @interface
 */
export type PaymentVerification = Readonly<ReturnType<typeof verification>>;

type Members = Readonly<Record<string, unknown>>;

function objectOf(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function decoded(header: string): { encoding: PaymentCheck; value: Members | null } {
  const expected = 'padded base64 of a JSON object';
  const text = header.trim();
  if (text.startsWith('{')) {
    const value = objectOf(text);
    const got = value === null ? 'neither base64 nor a JSON object' : 'JSON, not encoded';
    const verdict = value === null ? 'failed' : 'open';
    return { encoding: { name: 'encoding', expected, got, verdict }, value };
  }
  const bytes = Buffer.from(text, 'base64');
  const value = objectOf(bytes.toString('utf8'));
  const isExact = value !== null && bytes.toString('base64') === text;
  const got = isExact ? expected : value === null ? 'something else' : 'base64 in another form';
  return { encoding: holds('encoding', isExact, { expected, got }), value };
}

/** What a schema expected: the essential part of zod's message. */
function expectedBy({ issues: [issue] }: z.ZodError): string {
  const message = issue?.message ?? 'as published';
  return message.replace(/^Invalid (?:input|option): expected /, '').replace(/, received .*$/, '');
}

/** A check for each member of a published schema, and one check for all other members. */
function memberChecks(schema: z.ZodObject, value: Members): PaymentCheck[] {
  const known = Object.keys(schema.shape);
  const more = Object.keys(value).filter((name) => !known.includes(name));
  return [
    ...known.map((name) => {
      const parsed = (schema.shape[name] as z.ZodType).safeParse(value[name]);
      const expected = parsed.success ? 'as published' : expectedBy(parsed.error);
      return holds(name, parsed.success, { expected, got: value[name] });
    }),
    ...(more.length === 0 ? [] : [holds('other members', false, { expected: [], got: more })]),
  ];
}

function requestChecks(value: Members, world: PaymentWorld): PaymentCheck[] {
  const members = memberChecks(paymentRequest, value);
  if (members.some(({ verdict }) => verdict === 'failed')) return members;
  const request = paymentRequest.parse(value);
  const { addresses, books } = world.bank;
  const nowMs = world.now().getTime();
  const collection = books.state.agents.get(request.recipient)?.collectionAddress;
  return [
    ...members,
    collection === undefined
      ? open('pay_to is the collection address of a customer', request.pay_to)
      : equal('pay_to is the collection address of the recipient', collection, request.pay_to),
    equal('asset is the mint of the token', addresses.assetOf(request.token), request.asset),
    equal("network is the bank's", addresses.caip2, request.network),
    holds('not expired', nowMs < Date.parse(request.expires_at), {
      expected: `after ${new Date(nowMs).toISOString()}`,
      got: request.expires_at,
    }),
  ];
}

function receiptChecks(value: Members, world: PaymentWorld): PaymentCheck[] {
  const members = memberChecks(paymentReceipt, value);
  if (members.some(({ verdict }) => verdict === 'failed')) return members;
  const receipt = paymentReceipt.parse(value) as PaymentReceipt;
  const { addresses } = world.bank;
  const issuer = addresses.issuer.address;
  return [
    ...members,
    equal('issuer is the bank', issuer, receipt.issuer),
    holds("signature is the issuer's", isReceiptOf(issuer, receipt), {
      expected: `a signature by ${issuer} of all other members`,
      got: receipt.signature,
    }),
    equal('asset is the mint of the token', addresses.assetOf(receipt.token), receipt.asset),
    equal("network is the bank's", addresses.caip2, receipt.network),
    ...bookChecks(receipt, world.bank),
    ...chainChecks(receipt, world),
  ];
}

function isReceiptOf(issuer: string, receipt: PaymentReceipt): boolean {
  if (!isSignature(receipt.signature) || !isAddress(issuer)) return false;
  const text = Buffer.from(canonicalReceipt(receipt), 'utf8');
  return isSignedBy(bytesOf(issuer), text, bs58.decode(receipt.signature));
}

/** Compares a receipt with the payment on the bank's books that has its transaction. */
function bookChecks(receipt: PaymentReceipt, bank: PaymentWorld['bank']): PaymentCheck[] {
  const { settledBy, outflows } = bank.books.state;
  const outflow = outflows.get(settledBy.get(receipt.tx_signature) ?? 0);
  if (outflow?.terms.type !== 'x402')
    return [
      holds('payment is on the books', false, {
        expected: 'a payment by this transaction',
        got: receipt.tx_signature,
      }),
    ];
  const { terms } = outflow;
  return [
    equal('payment_id on the books', uuid(bank.env().salt, 'entry', outflow.id), receipt.payment_id),
    equal('payer on the books', outflow.wallet, receipt.payer),
    equal('recipient on the books', terms.recipient, receipt.recipient),
    equal('pay_to on the books', terms.payTo, receipt.pay_to),
    equal('token on the books', terms.token, receipt.token),
    equal('amount on the books', tokenUnits(terms.token, terms.amountBase), receipt.amount),
    equal('request_id on the books', terms.requestId, receipt.request_id),
    equal('service_url on the books', terms.serviceUrl, receipt.service_url),
    equal('status on the books', 'completed', outflow.status),
  ];
}

function chainChecks(receipt: PaymentReceipt, { bank, chain, config }: PaymentWorld): PaymentCheck[] {
  const name = 'transaction on chain';
  if (config.cluster !== null) return [open(name, receipt.tx_signature)];
  const record = chain.getTransaction(receipt.tx_signature);
  const got = record === null ? 'unknown' : record.error === null ? 'succeeded' : record.error;
  const succeeded = equal(name, 'succeeded', got);
  if (record === null || record.error !== null) return [succeeded];
  const token: Token = receipt.token;
  const arrived = tokenUnits(token, changeAt(record, receipt.pay_to, bank.addresses.usdcMint)[token]);
  return [
    succeeded,
    holds('amount that arrived at pay_to', arrived >= receipt.amount, {
      expected: receipt.amount,
      got: arrived,
    }),
  ];
}
