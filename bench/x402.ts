import { createPublicKey, verify } from 'node:crypto';
import bs58 from 'bs58';
import { Hono } from 'hono';
import type { EmbeddedEngineName } from '../src/runtime/config.js';
import { type PaymentReceipt, canonicalReceipt, encodeHeader } from '../src/core/domain/payment-request.js';
import type { Result } from '../src/core/domain/result.js';
import { SecretKey, isSignedBy } from '../src/core/ed25519.js';
import { type Simulator, createSimulator } from '../src/index.js';
import {
  type Collector,
  Paywall,
  type Payer,
  ReceiptVerifier,
  type RequestedPayment,
  honoPaywall,
  payingFetch,
} from '../src/sdk/x402/index.js';
import { bankrun } from './ceilings/bankrun.js';
import { type RawEngine, rawRate } from './ceilings/engine.js';
import { litesvm } from './ceilings/litesvm.js';
import { ensure, interleave, msOf, rateOf } from './measure.js';
import type { Benchmark, Row } from './report.js';

const URL_OF = 'http://shop.local/weather';
const AMOUNT = 0.000001;
// A bankrun batch must finish before its blockhash expires, one to two seconds after signing.
const COUNT = { bankrun: 150, litesvm: 300 } as const;
const CHECKS = 2_000;
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function valueOf<T>(result: Result<T>): T {
  ensure(result.ok, 'the bank refused');
  return result.value;
}

/** The accounts of payer and service, as direct calls of a bank in this process. */
function direct(sim: Simulator): { payer: Payer; service: Collector } {
  const [payer, service] = [sim.wallets[0]?.address ?? '', sim.wallets[1]?.address ?? ''];
  return {
    payer: {
      pay: async ({ recipient, amount, token, service_url, payment_request }) => {
        const paid = await sim.bank.pay({
          wallet: payer,
          recipient,
          amount,
          token,
          serviceUrl: service_url,
          paymentRequest: payment_request,
        });
        return valueOf(paid);
      },
    },
    service: {
      requestPayment: async ({ amount, token = 'USDC', expires_in: expiresInSeconds = 3_600 }) => {
        const asked = await sim.bank.requestPayment({ wallet: service, amount, token, expiresInSeconds });
        return valueOf<RequestedPayment>(asked);
      },
      receive: async ({ tx_signature: signature }) =>
        valueOf(await sim.bank.receivePayment({ wallet: service, signature })),
    },
  };
}

/** A Hono shop behind a paywall, and a bare route with the same response. */
function shops(sim: Simulator, bank: Collector): { shop: Hono; bare: Hono } {
  const paywall = new Paywall({
    bank,
    recipient: sim.wallets[1]?.address ?? '',
    issuer: sim.facts.issuerPublicKey,
    price: { amount: AMOUNT },
    clock: { nowMs: () => sim.now().getTime() },
  });
  const bare = new Hono().get('/weather', (context) => context.json({ sky: 'clear' }));
  const shop = new Hono();
  shop.use(honoPaywall(paywall));
  shop.get('/weather', (context) => context.json({ sky: 'clear' }));
  return { shop, bare };
}

async function roundTrips(engine: EmbeddedEngineName): Promise<Row[]> {
  const sim = await createSimulator({ engine, time: 'frozen' });
  await sim.agent(0).fund(1_000, 'USDC');
  await sim.agent(1).signIn();
  const { payer, service } = direct(sim);
  const byCall = shops(sim, service);
  const byHttp = shops(sim, sim.agent(1));
  const raw: RawEngine = engine === 'litesvm' ? litesvm() : await bankrun();
  const count = COUNT[engine];
  const each = async (work: () => Promise<Response>): Promise<number> => {
    const ms = await msOf(async () => {
      for (let at = 0; at < count; at += 1) {
        const response = await work();
        ensure(response.ok && 'sky' in ((await response.json()) as object), 'no answer');
      }
    });
    return (ms / count) * 1_000;
  };
  const options = { maxAmount: 1 };
  const buy = payingFetch(async (url, init) => byCall.shop.request(url, init), payer, options);
  const client = payingFetch(async (url, init) => byHttp.shop.request(url, init), sim.agent(0), options);
  const secret = SecretKey.ofSeed(Buffer.alloc(32, 1));
  const text = Buffer.alloc(400, 'x');
  const signed = secret.sign(text);
  const taken = await interleave(
    { rounds: 11, warmUp: 3 },
    {
      // The bank signs the transaction and the receipt; the paywall verifies the receipt.
      signatures: () =>
        1e6 /
        rateOf(count, () => {
          secret.sign(text);
          secret.sign(text);
          ensure(isSignedBy(secret.publicKey, text, signed), 'a signature is wrong');
        }),
      transaction: async () => 1e6 / (await rawRate(raw, count)),
      request: () => each(async () => byCall.bare.request(URL_OF)),
      trip: () => each(() => buy(URL_OF)),
      tripByClient: () => each(() => client(URL_OF)),
    },
  );
  ensure((await sim.invariants()).length === 0, 'the books are wrong');
  await sim.close();
  const ceiling = taken.transaction + 2 * taken.request;
  const name = `${engine}: x402 round trip in process`;
  return [
    { name, unit: 'µs', measured: taken.trip, ceiling, target: { kind: 'at most', value: 1.3 } },
    {
      name: `${name}: its signatures besides the ceiling`,
      unit: 'µs',
      measured: ceiling + taken.signatures,
      ceiling,
      target: null,
    },
    { name: `${name}, clients by HTTP`, unit: 'µs', measured: taken.tripByClient, ceiling, target: null },
  ];
}

/** A paywall's verification of receipts, against the bare verification of their signatures. */
async function verification(): Promise<Row> {
  const sim = await createSimulator({ engine: 'litesvm', time: 'frozen' });
  const agent = sim.agent(0);
  await agent.fund(10, 'USDC');
  const recipient = sim.wallets[1]?.address ?? '';
  const receipts: PaymentReceipt[] = [];
  for (let at = 0; at < 50; at += 1)
    receipts.push((await agent.pay({ recipient, amount: 0.01, token: 'USDC' })).receipt);
  await sim.close();
  const headers = receipts.map(encodeHeader);
  const signed = receipts.map((receipt) => ({
    text: Buffer.from(canonicalReceipt(receipt)),
    signature: bs58.decode(receipt.signature),
  }));
  const der = Buffer.concat([SPKI_PREFIX, bs58.decode(sim.facts.issuerPublicKey)]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const verifier = new ReceiptVerifier(sim.facts.issuerPublicKey);
  const rates = await interleave(
    { rounds: 11, warmUp: 3 },
    {
      raw: () =>
        rateOf(CHECKS, (at) => {
          const { text, signature } = signed[at % signed.length] as (typeof signed)[number];
          ensure(verify(null, text, key, signature), 'a signature is wrong');
        }),
      receipts: () =>
        rateOf(CHECKS, (at) => {
          ensure(verifier.verify(headers[at % headers.length] as string).ok, 'a receipt is wrong');
        }),
    },
  );
  const target = { kind: 'at least', value: 0.6 } as const;
  const name = 'x402 receipt verification';
  return { name, unit: '1/s', measured: rates.receipts, ceiling: rates.raw, target };
}

/** x402 payments: a full round trip, and the verification of a receipt. */
export const x402: Benchmark = {
  name: 'x402',
  run: async () => [...(await roundTrips('bankrun')), ...(await roundTrips('litesvm')), await verification()],
};
