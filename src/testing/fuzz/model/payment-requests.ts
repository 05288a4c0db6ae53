import { amountBase, iso, units } from './amounts.js';
import type { Agent, Books } from './books.js';
import { NEW_UUID, SOME_TEXT, oneOf, recordId, sameInstant, SIGNATURE_FORM } from './checks.js';
import { AN_OBJECT, Check, type Members, type Place, differenceOf, differs, inside } from './compare.js';
import type { BodyDifference } from './difference.js';
import { invalidAmount, namedSum } from './money-rules.js';
import type { ApiCall, ModelToken, ModelConfig, Steps, Trouble } from './types.js';
import { WRAPPED_SOL } from './transactions.js';
import { type Refused, type Verdict, done, isRefused, refused } from './verdict.js';
import { isObject } from '../../../core/json.js';
import { verify } from 'node:crypto';
import bs58 from 'bs58';
import canonicalize from 'canonicalize';
import { publicKey } from './sign-in.js';

/** The value of `asset`: the mint, or wrapped SOL's mint for SOL. Source: docs/reference/fidelity.md, x402. */
export function assetOf({ usdcMint }: ModelConfig, token: ModelToken): string {
  return token === 'USDC' ? usdcMint : WRAPPED_SOL;
}

function decoded(header: unknown): unknown {
  if (typeof header !== 'string') return undefined;
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** The complete response to `requestPayment`: headers and body must agree. `charge`: its representation in standard x402; null for none. */
function paymentRequestCheck(request: Members, charge: Members | null): Check {
  const standard = charge === null ? {} : { 'PAYMENT-REQUIRED': SOME_TEXT };
  const body = { payment_request: request, headers: { 'X-Payment-Request': SOME_TEXT, ...standard } };
  return new Check((actual, memory) => {
    if (!isObject(actual)) return AN_OBJECT;
    const difference = differenceOf(body, actual, memory);
    if (difference !== null) return difference;
    const sent = actual['headers'] as Readonly<Record<string, unknown>>;
    const text = JSON.stringify(actual['payment_request']);
    const again = decoded(sent['X-Payment-Request']);
    if (JSON.stringify(again) !== text)
      return { ...differs({ words: text }, again), path: ['headers', 'X-Payment-Request'] };
    return charge === null ? null : chargeDifference(decoded(sent['PAYMENT-REQUIRED']), charge);
  });
}

function chargeDifference(actual: unknown, charge: Members): BodyDifference | null {
  const path = ['headers', 'PAYMENT-REQUIRED'];
  const accepts = isObject(actual) && actual['x402Version'] === 2 ? actual['accepts'] : undefined;
  const [first] = Array.isArray(accepts) ? (accepts as unknown[]) : [];
  if (!isObject(first)) return { ...differs({ words: 'x402 version 2 with a charge' }, actual), path };
  for (const [name, value] of Object.entries(charge)) {
    const shown = first[name];
    if (shown !== value)
      return { ...differs({ value }, shown), path: [...path, 'accepts', 0, name], isEncoded: true };
  }
  return null;
}

/** Prepares an address for a payment; simultaneous requests share the preparation. Source: docs/reference/fidelity.md, x402. */
function* prepare(books: Books, address: string, token: ModelToken, base: bigint): Steps<void> {
  const { chain, preparing } = books;
  const place = `${token} ${address}`;
  const lacked = chain.lackedBy(address, token, base);
  if (lacked === null || preparing.has(place)) return;
  preparing.add(place);
  yield { kind: 'chain' };
  chain.prepared(address, token, lacked, books.nowMs);
  preparing.delete(place);
}

/** Creates a payment request and its headers. Source: docs/reference/fidelity.md, x402. */
export function* paymentRequest(books: Books, agent: Agent, call: ApiCall, trouble: Trouble): Steps<Verdict> {
  const parsed = books.forms.query(call);
  if (isRefused(parsed)) return parsed;
  const { description, expires_in: seconds } = parsed.values as { description?: string; expires_in: number };
  const sum = namedSum(parsed.values);
  if (isRefused(sum)) return sum;
  const { token, base } = sum;
  const { modelConfig, nowMs } = books;
  const payTo = modelConfig.collectionOf(agent.wallet);
  const asset = assetOf(modelConfig, token);
  if (!trouble.chainIsOut) yield* prepare(books, payTo, token, base);
  const request = {
    version: '1',
    request_id: NEW_UUID,
    recipient: agent.wallet,
    pay_to: payTo,
    amount: units(token, base),
    token,
    asset,
    network: modelConfig.network,
    description: description ?? null,
    issued_at: iso(nowMs),
    expires_at: iso(nowMs + seconds * 1000),
  };
  const charge = { scheme: 'exact', network: modelConfig.network, amount: String(base), asset, payTo };
  return done(paymentRequestCheck(request, token === 'USDC' ? charge : null));
}

/** A payment as its body states it. `amount` may be invalid. */
interface Paying {
  readonly recipient: string;
  readonly payTo: string;
  readonly token: ModelToken;
  readonly amount: unknown;
}

/** The payment of a request may be in progress or done. */
const PAID = oneOf<string>(['completed', 'pending']);

/** The payment of a request, made or in progress; null for none. */
export function paymentOf(books: Books, key: string): Place | null {
  const at = books.paidRequests.get(key);
  return at === undefined || books.record(at).status === 'failed' ? null : at;
}

/** Refusal of a request that was already paid, unless repeated payment is allowed. Source: docs/reference/fidelity.md, x402. */
function paidBefore(books: Books, key: string, requestId: string): Refused | null {
  const first = paymentOf(books, key);
  if (first === null || books.modelConfig.variants.paymentRequests !== 'once') return null;
  const details = { request_id: requestId, payment_id: recordId(first), status: PAID };
  return refused('payment_request_already_paid', details);
}

/** Whether two numbers are the same amount. Source: docs/reference/fidelity.md, Amounts. */
function isSameAmount(a: unknown, b: unknown, token: ModelToken): boolean {
  const base = amountBase(a, token);
  return a === b || (base !== null && base === amountBase(b, token));
}

/**
 * The payment request in a body: its id, and a key that identifies it. It must match the payment, and be neither paid nor expired. Source:
 * docs/reference/fidelity.md, x402.
 */
export function boundRequest(
  books: Books,
  header: string,
  paying: Paying,
): { readonly requestId: string; readonly key: string } | Refused {
  const { nowMs } = books;
  const parsed = decoded(header);
  const request: Readonly<Record<string, unknown>> = isObject(parsed) ? parsed : {};
  const { request_id: requestId, amount, expires_at: expires, ...named } = request;
  const expiresMs = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  const { recipient, payTo, token } = paying;
  const fits =
    typeof requestId === 'string' &&
    typeof amount === 'number' &&
    !Number.isNaN(expiresMs) &&
    named['recipient'] === recipient &&
    named['pay_to'] === payTo &&
    named['token'] === token &&
    isSameAmount(amount, paying.amount, token);
  if (!fits) return refused('invalid_request', { issues: [{ path: 'payment_request', message: SOME_TEXT }] });
  const base = amountBase(paying.amount, token);
  if (base === null) return invalidAmount(token);
  const key = JSON.stringify([requestId, payTo, token, String(base)]);
  const paid = paidBefore(books, key, requestId);
  if (paid !== null) return paid;
  if (nowMs < expiresMs) return { requestId, key };
  return refused('payment_request_expired', {
    request_id: requestId,
    expired_at: sameInstant(expiresMs),
    now: iso(nowMs),
  });
}

/** Cache of valid receipt signatures: each order of overlapping calls is compared with the same receipt. */
const verified = new WeakMap<object, unknown>();

/** A receipt: every member is exact, and the issuer's signature covers all other members. Source: docs/reference/fidelity.md, x402. */
export function receipt(issuer: string, terms: Members): Check {
  const members = { ...terms, issuer, signature: SIGNATURE_FORM };
  return new Check((actual, memory) => {
    const difference = differenceOf(members, actual, memory);
    if (difference !== null) return difference;
    const { signature, ...signed } = actual as Record<string, unknown>;
    if (verified.get(actual as object) === signature) return null;
    const bytes = Buffer.from(canonicalize(signed) ?? '', 'utf8');
    if (!verify(null, bytes, publicKey(issuer), bs58.decode(String(signature)))) {
      const words = 'the signature of the other members by the issuer';
      return inside('signature', differs({ words }, signature));
    }
    verified.set(actual as object, signature);
    return null;
  });
}
