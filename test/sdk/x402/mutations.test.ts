import { isDeepStrictEqual } from 'node:util';
import bs58 from 'bs58';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { describe, expect, it } from 'vitest';
import { canonicalReceipt, encodeHeader } from '../../../src/core/domain/payment-request.js';
import {
  type PaymentReceipt,
  PAYWALL_CODES,
  PaymentError,
  ReceiptVerifier,
  payingFetch,
} from '../../../src/sdk/x402/index.js';
import { agentWith, worldWithAgent } from '../../support/world.js';
import { ORIGIN, Shop } from './support.js';

/** Runs of each kind that is drawn. */
const RUNS = 250;
const SEED = 402;

/** The header parsed as leniently as possible; null when it does not parse. */
function decodeLeniently(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** Copies of some bytes, in each of which one byte has another bit. */
function eachFlipped(bytes: Uint8Array): Buffer[] {
  return Array.from(bytes, (_, at) => flipped(bytes, 8 * at + ((5 * at) % 8)));
}

const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));

/** The receipt signed by another key, which may claim to be the bank's. */
function signedByOther(receipt: PaymentReceipt, issuer: string): PaymentReceipt {
  const forged = { ...receipt, issuer };
  const signature = nacl.sign.detached(Buffer.from(canonicalReceipt(forged)), keys.secretKey);
  return { ...forged, signature: bs58.encode(signature) };
}

/** Encodings of the same receipt other than the canonical one. */
const ENCODINGS: readonly ((header: string, json: string) => string)[] = [
  (header) => header.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  (header) => `${header}=`,
  (header) => `${header.slice(0, 40)} ${header.slice(40)}`,
  (header) => Buffer.from(header).toString('base64'),
  (_header, json) => json,
  (_header, json) => Buffer.from(json, 'utf16le').toString('base64'),
  (_header, json) => Buffer.from(`\u{feff}${json}`).toString('base64'),
  (_header, json) => Buffer.from(`[${json}]`).toString('base64'),
  (_header, json) => Buffer.from(json.slice(0, -1)).toString('base64'),
  (_header, json) => Buffer.from(`${json}${json}`).toString('base64'),
  (_header, json) => Buffer.from(JSON.stringify(json)).toString('base64'),
  (header) => `Bearer ${header}`,
  (header) => header.repeat(20),
];

async function paidShop() {
  const { sim, agent: payer } = await worldWithAgent({ usdc: 100 });
  const shop = new Shop(sim, await agentWith(sim, 1));
  const offer = await shop.ask('/weather');
  const { recipient, amount, token } = offer.asked;
  const memo = 'for Zoë 🌦 \u2028 "quoted"';
  const body = { recipient, amount, token, memo, payment_request: offer.header };
  const receipt: PaymentReceipt = (await payer.pay(body)).receipt;
  return { shop, receipt, header: encodeHeader(receipt), verifier: new ReceiptVerifier(receipt.issuer) };
}

type PaidShop = Awaited<ReturnType<typeof paidShop>>;

describe('paywall with tampered receipts', () => {
  const refusals = new Map<string, number>();
  let total = 0;

  async function mustRefuse({ shop, receipt, verifier }: PaidShop, mutated: string): Promise<void> {
    if (mutated === encodeHeader(receipt)) return;
    const alone = verifier.verify(mutated);
    expect(alone.ok).toBe(false);
    total += 1;
    // Only values that are valid in an HTTP header reach the paywall.
    if (!/^[\t\x20-\x7e]*$/.test(mutated)) return;
    const { status, code } = await shop.get('/weather', mutated);
    expect({ status, isKnown: code !== null && Object.hasOwn(PAYWALL_CODES, code) }).toEqual({
      status: 402,
      isKnown: true,
    });
    refusals.set(code as string, (refusals.get(code as string) ?? 0) + 1);
  }

  it('rejects every tampered receipt, and accepts the original afterwards', { tags: ['slow'] }, async () => {
    const given = await paidShop();
    const { shop, receipt, header } = given;
    const json = JSON.stringify(receipt);
    const bytes = Buffer.from(json);
    const parameters = { seed: SEED, numRuns: RUNS };

    // A flipped bit in each byte of the JSON.
    for (const changed of eachFlipped(bytes)) {
      const mutated = changed.toString('base64');
      if (!isDeepStrictEqual(decodeLeniently(mutated), receipt)) await mustRefuse(given, mutated);
    }

    // A flipped bit in each of the header's base64 characters, and each bit of the last four: padding, and unused bits.
    const encoded = Buffer.from(header);
    const last = Array.from({ length: 32 }, (_, bit) => flipped(encoded, 8 * encoded.length - 1 - bit));
    for (const changed of [...eachFlipped(encoded), ...last])
      await mustRefuse(given, changed.toString('latin1'));

    // Members removed, added or replaced.
    const name = fc.constantFrom(...Object.keys(receipt), '__proto__', 'constructor', 'extra');
    const value = fc.oneof(
      fc.json().map((text) => JSON.parse(text) as unknown),
      fc.constantFrom(...Object.values(receipt)),
      fc.double(),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(name, fc.option(value, { nil: undefined }), async (member, instead) => {
        const changed = Object.entries(receipt).filter(([known]) => known !== member);
        if (instead !== undefined) changed.push([member, instead]);
        const text = `{${changed.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`;
        const mutated = Buffer.from(text).toString('base64');
        if (!isDeepStrictEqual(decodeLeniently(mutated), receipt)) await mustRefuse(given, mutated);
      }),
      parameters,
    );

    // Receipts signed by another key, under its own name or the bank's.
    const other = bs58.encode(keys.publicKey);
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.25, max: 1e6 }), fc.boolean(), async (amount, isClaimed) => {
        const wanted = { ...receipt, amount: Math.round(amount * 1e6) / 1e6 };
        await mustRefuse(given, encodeHeader(signedByOther(wanted, isClaimed ? receipt.issuer : other)));
      }),
      parameters,
    );

    // Other encodings of the genuine receipt, and arbitrary text.
    for (const encode of ENCODINGS) await mustRefuse(given, encode(header, json));
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 2_000 }), async (text) => mustRefuse(given, text)),
      parameters,
    );

    expect(total).toBeGreaterThan(2_000);
    for (const code of ['receipt_malformed', 'receipt_altered', 'receipt_forged'])
      expect(refusals.get(code), code).toBeGreaterThan(100);
    expect(shop.served).toBe(0);
    expect(shop.problems).toEqual([]);
    expect(await shop.get('/weather', header)).toMatchObject({ status: 200 });
  });
});

it(
  'paying client with tampered payment requests pays within its limits or rejects with a PaymentError',
  { tags: ['slow'] },
  async () => {
    const { shop } = await paidShop();
    const { asked, header } = await shop.ask('/weather');
    const bytes = Buffer.from(JSON.stringify(asked));
    const paid: { recipient: string; amount: number; token: string }[] = [];
    const payer = {
      pay: async (body: { recipient: string; amount: number; token: string }): Promise<never> => {
        paid.push(body);
        throw Object.assign(new Error('not today'), { code: 'insufficient_balance', status: 400 });
      },
    };
    const codes = new Map<string, number>();
    const show = async (mutated: string) => {
      const answer = async () =>
        new Response(null, { status: 402, headers: { 'x-payment-request': mutated } });
      const { recipient } = asked;
      const pay = payingFetch(answer, payer, { maxAmount: 0.25, recipient });
      const error: unknown = await pay(ORIGIN).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(PaymentError);
      const { code } = error as PaymentError;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    };
    for (const changed of eachFlipped(bytes)) await show(changed.toString('base64'));
    const name = fc.constantFrom(...Object.keys(asked));
    const json = fc.json().map((text) => JSON.parse(text) as unknown);
    await fc.assert(
      fc.asyncProperty(name, fc.oneof(json, fc.double()), async (member, value) =>
        show(encodeHeader({ ...asked, [member]: value })),
      ),
      { seed: SEED, numRuns: RUNS },
    );
    for (const changed of eachFlipped(Buffer.from(header))) {
      const mutated = changed.toString('latin1');
      if (/^[\x20-\x7e]*$/.test(mutated)) await show(mutated);
    }
    expect(paid.length).toBeGreaterThan(100);
    for (const { recipient, amount, token } of paid) {
      expect({ recipient, token }).toEqual({ recipient: asked.recipient, token: 'USDC' });
      expect(amount).toBeLessThanOrEqual(0.25);
    }
    expect(codes.get('malformed_request')).toBeGreaterThan(300);
    expect(codes.get('wrong_recipient')).toBeGreaterThan(10);
  },
);
