import { z } from 'zod';
import { isLoopbackName } from '../api/origin-guard.js';
import { base, tokenUnits } from '../core/domain/money.js';
import { fingerprintOf } from '../sdk/x402/binding.js';
import { PaymentError } from '../sdk/x402/paying/payment-error.js';
import type { StandardTerms } from '../sdk/x402/standard/standard-payer.js';
import { objectIn } from '../sdk/x402/headers.js';
import { TURNED_AWAY, discard, limitedText, responseWithin } from '../sdk/x402/response-body.js';
import { type Money, moneyOf, moneyText } from './amounts.js';
import { ConsentNeeded } from './consent.js';
import { jsonSchema, parsedInput } from './schemas.js';
import type { ConnectionOptions } from './connection-options.js';
import type { Tool, ToolCall } from './tool.js';
import { ToolRefusal } from './tool-refusal.js';
import { type PaidFetch, type StandardPayment, type WalletSession, paidReceipt } from './wallet-session.js';

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const PAUSE_MS = 200;

const input = z.object({
  url: z
    .string()
    .max(2_048)
    .describe('http or https; only hosts of this machine unless the server allows others'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('default GET'),
  body: z.string().max(65_536).optional(),
  content_type: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7E]*$/)
    .optional()
    .describe('of the body; default application/json'),
  max_amount: z.number().positive().describe('the most to pay for this response, in token units'),
  token: z.enum(['USDC', 'SOL']).optional().describe('of max_amount; default USDC'),
  recipient: z.string().optional().describe('the wallet that must be paid; nothing is paid to another'),
  pay_from: z
    .enum(['account', 'wallet'])
    .optional()
    .describe(
      'account: through the bank, with a receipt; wallet: by standard x402, on chain. Default: what the service offers, account first',
    ),
  forget: z
    .boolean()
    .optional()
    .describe('abandon an earlier payment for the same request whose response never arrived, and pay again'),
});

const output = z.object({
  status: z.int(),
  content_type: z.string().nullable(),
  location: z.string().nullable().describe('of a redirect, which is not followed'),
  body: z.string(),
  truncated: z.boolean(),
  paid: paidReceipt.nullable().describe('null when nothing was paid by this call'),
});

type Input = z.output<typeof input>;

/** A URL that may be called. Throws ToolRefusal. */
function allowedUrl(text: string, { fetchHosts }: ConnectionOptions): URL {
  if (!URL.canParse(text)) throw new ToolRefusal('invalid_request', 'url: is not a URL');
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new ToolRefusal('invalid_request', 'url: must be http or https, without a user');
  if (!isLoopbackName(host) && !fetchHosts.includes(host))
    throw new ToolRefusal(
      'host_not_allowed',
      `fetch_paid calls services of this machine only. The operator of this server may allow ${host} with --fetch-host ${host}.`,
      { host },
    );
  // The tools of the world are apart: an agent must not reach them around its own.
  if (/\/_sim(?:\/|$)|^(?:\/w\/[^/]+)?\/mcp\/?$/.test(url.pathname))
    throw new ToolRefusal('host_not_allowed', 'fetch_paid does not call the control interface or /mcp.');
  url.hash = '';
  return url;
}

function requestOf(url: URL, { method = 'GET', body, content_type: type }: Input, signal: AbortSignal) {
  if (body !== undefined && method === 'GET')
    throw new ToolRefusal('invalid_request', 'body: a GET request has no body; set method');
  const headers: Record<string, string> =
    body === undefined ? {} : { 'content-type': type ?? 'application/json' };
  const fingerprint = fingerprintOf(method, url.href, body === undefined ? null : Buffer.from(body));
  return {
    url: url.href,
    /** Identifies a request, as in the records of the paying client. */
    fingerprint,
    init: { method, headers, signal, ...(body === undefined ? {} : { body }) },
  };
}

type Wanted = Readonly<ReturnType<typeof requestOf>>;

/** A response whose body has arrived, or its beginning. */
type Received = Pick<Response, 'status' | 'headers'> & Awaited<ReturnType<typeof limitedText>>;

async function received(response: Response): Promise<Received> {
  const { status, headers } = response;
  return { status, headers, ...(await limitedText(response)) };
}

/** Presents a signed payment until the service's response has arrived; the chain accepts it once. */
async function present(
  session: WalletSession,
  { url, init }: Wanted,
  payment: StandardPayment,
): Promise<Received> {
  const { name, value } = payment.header;
  let reason = 'no answer';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await session.backend.wait(PAUSE_MS * 2 ** attempt);
    try {
      const headers = { ...init.headers, [name]: value };
      const response = await responseWithin(TIMEOUT_MS, init.signal, (signal) =>
        session.fetchService(url, { ...init, headers, signal }),
      );
      const { status } = response;
      if (status < 500 && status !== 402 && !TURNED_AWAY.has(status)) {
        const answer = await received(response);
        session.unfinished.delete(payment);
        return answer;
      }
      discard(response);
      reason = `HTTP ${status}`;
      if (status < 500) break;
    } catch (error) {
      reason = String(error);
    }
  }
  throw new ToolRefusal(
    'payment_unknown',
    'The payment was signed and presented, but the service did not deliver; it may or may not have been settled. Calling again presents the same payment, which a service that has settled it may refuse; forget: true abandons it and pays again.',
    { reason },
  );
}

/** Throws ToolRefusal `insufficient_balance` when the wallet holds too little on chain: its payment could never settle. */
async function checkHolds({ wallet, backend }: WalletSession, { token, amountBase }: Money): Promise<void> {
  const { usdcBase } = await backend.chain.balances(wallet.address);
  if (usdcBase >= amountBase) return;
  const available = tokenUnits(token, usdcBase);
  throw new ToolRefusal(
    'insufficient_balance',
    `The wallet holds ${available} ${token} on chain, and the service asks for ${moneyText({ token, amountBase })}. Nothing was signed.`,
    { token, available, requested: tokenUnits(token, amountBase) },
  );
}

/** The oldest payment for a request that has not bought its response. */
function unfinishedFor({ unfinished }: WalletSession, { fingerprint }: Wanted): StandardPayment | undefined {
  return [...unfinished].find((payment) => payment.fingerprint === fingerprint);
}

function priceOf({ payTo, amountBase }: StandardTerms) {
  return { token: 'USDC', amountBase: base(amountBase), to: payTo } as const;
}

/** Buys a response by standard x402, from the wallet on chain, with the payment of an earlier call if there is one. */
async function buyStandard(
  session: WalletSession,
  fetching: PaidFetch,
  wanted: Wanted,
  { terms, before }: { readonly terms: StandardTerms; readonly before?: StandardPayment },
): Promise<Received> {
  const { payTo, amountBase, memo } = terms;
  const texts = { url: wanted.url, ...(memo === null ? {} : { memo }) };
  const price = { ...priceOf(terms), toName: 'recipient', texts };
  session.checkPrice(fetching, price);
  if (before === undefined) {
    await session.checkPayee(price);
    await checkHolds(session, price);
    // A new payment has no key yet: it is counted by its signature.
    await session.requireAllowed(fetching.rules, { ...price, key: null });
  }
  // Signing moves nothing. The header names the payment: presenting it again is the same one.
  const payment = before ?? {
    fingerprint: wanted.fingerprint,
    header: await session.standard.sign(terms),
    terms,
  };
  const pay = () => {
    // One of an earlier call may have been served in the meantime.
    if (before === undefined) session.unfinished.add(payment);
    return present(session, wanted, payment);
  };
  const response = await session.spending.pay(
    { ...price, key: payment.header.value },
    fetching.rules.options.maxSpend,
    pay,
    {
      nameOf: () => null,
      isUnpaid: () => false,
    },
  );
  const settled = response.headers.get('payment-response') ?? response.headers.get('x-payment-response');
  const receipt = settled === null ? null : objectIn(settled);
  const transaction = receipt?.['transaction'];
  session.keep(fetching, {
    url: wanted.url,
    amount: tokenUnits('USDC', amountBase),
    token: 'USDC',
    recipient: payTo,
    tx_signature: typeof transaction === 'string' ? transaction : null,
    receipt,
  });
  return response;
}

/** Requests a service's terms by standard x402 and buys the response; null when this wallet cannot pay any of them. */
async function throughStandard(
  session: WalletSession,
  fetching: PaidFetch,
  wanted: Wanted,
): Promise<Received | null> {
  const before = unfinishedFor(session, wanted);
  if (before !== undefined) return buyStandard(session, fetching, wanted, { terms: before.terms, before });
  const response = await session.fetchService(wanted.url, wanted.init);
  if (response.status !== 402) return received(response);
  const payable = await session.standard.termsOf(response);
  const fits = (each: StandardTerms) => session.priceRefusal(fetching, priceOf(each)) === null;
  const terms = payable.find(fits) ?? payable[0];
  return terms === undefined ? null : buyStandard(session, fetching, wanted, { terms });
}

/** The cause of a PaymentError when this server's own rules raised it. */
function ownCause(error: unknown): unknown {
  const cause = error instanceof PaymentError ? error.cause : undefined;
  return cause instanceof ToolRefusal || cause instanceof ConsentNeeded ? cause : error;
}

async function buy(
  session: WalletSession,
  fetching: PaidFetch,
  { wanted, from }: { readonly wanted: Wanted; readonly from: Input['pay_from'] },
): Promise<Received> {
  const isTakenUp = unfinishedFor(session, wanted) !== undefined;
  if (from !== 'wallet' && !isTakenUp) {
    try {
      return await received(await session.during(fetching, () => session.paying(wanted.url, wanted.init)));
    } catch (error) {
      const isOther = error instanceof PaymentError && error.code === 'unsupported_payment';
      if (!isOther || from === 'account') throw ownCause(error);
    }
  }
  const response = await throughStandard(session, fetching, wanted);
  if (response !== null) return response;
  throw new ToolRefusal(
    'unsupported_payment',
    'The service returned 402 without terms that this wallet can pay: X-Payment-Request, or standard x402 (exact, USDC of this chain). Nothing was paid.',
  );
}

async function forgetFor(session: WalletSession, { fingerprint }: Wanted): Promise<void> {
  for (const payment of session.unfinished)
    if (payment.fingerprint === fingerprint) session.unfinished.delete(payment);
  for (const record of await session.paying.unfinished())
    if (record.fingerprint === fingerprint) await session.paying.forget(record.id);
}

async function run(args: Readonly<Record<string, unknown>>, call: ToolCall): Promise<object> {
  const data = parsedInput(input, args);
  const url = allowedUrl(data.url, call.options);
  const wanted = requestOf(url, data, call.signal);
  if (data.forget === true) await forgetFor(call.session, wanted);
  const most = moneyOf(data.max_amount, data.token ?? 'USDC');
  const fetching: PaidFetch = {
    rules: call,
    url: wanted.url,
    most,
    recipient: data.recipient ?? null,
    paid: null,
  };
  const { status, headers, text, isTruncated } = await buy(call.session, fetching, {
    wanted,
    from: data.pay_from,
  });
  return {
    status,
    content_type: headers.get('content-type'),
    location: headers.get('location'),
    body: text,
    truncated: isTruncated,
    paid: fetching.paid,
  };
}

/** A `fetch` that pays the price of a service, within a limit. */
export const fetchPaidTool: Tool = {
  definition: {
    name: 'fetch_paid',
    title: 'Fetch and pay',
    description:
      "Call a service over HTTP and pay what it asks for by x402 (its X-Payment-Request through the bank, or standard x402 from the wallet), up to max_amount. Nothing is paid twice: after a lost response, call again with the same arguments. This server's limits and the user's consent may apply.",
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
  run,
};
