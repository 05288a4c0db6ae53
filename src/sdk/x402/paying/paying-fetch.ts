import { type PaymentReceipt, encodeHeader } from '../../../core/domain/payment-request.js';
import type { FetchLike } from '../../../core/fetch.js';
import { checkMembers } from '../../../core/suggestion.js';
import { fingerprintOf } from '../binding.js';
import type { PaywallClock } from '../ports.js';
import { TURNED_AWAY, discard, limitedJson, responseWithin, withBreak } from '../response-body.js';
import { MemoryPaymentStore, type PaymentRecord, type PaymentStore } from './payment-store.js';
import { KNOWN_USDC, type MaxAmount, type Offer, checkOffer, limitsOf, readOffer } from './offer.js';
import { PaymentError } from './payment-error.js';
import { type Payer, type PaymentParts, executePayment, pauseMs, paymentKey } from './payment-executor.js';

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Options and limits of a paying client. */
export interface PayingOptions {
  /** The maximum price of one response, in token units: a number is USDC; `{ SOL: 0.01 }` allows SOL. */
  readonly maxAmount: number | MaxAmount;
  /**
   * The service's recipient address, or a function from the service's origin to it (null: unknown). Without it, the recipient of the
   * first payment to an origin is required for all later ones.
   */
  readonly recipient?: string | ((origin: string) => string | null);
  /** Maximum attempts to pay (under one key), and to present a receipt. 3 when left out. */
  readonly attempts?: number;
  /** Timeout in milliseconds for a response of the bank, and for the service's to begin. 30,000 when left out. */
  readonly timeoutMs?: number;
  /** Detects expired requests before the bank is called. When left out, only the bank's clock decides. */
  readonly clock?: PaywallClock;
  /** In-memory store when left out. */
  readonly store?: PaymentStore;
  /** The mint of USDC, if it is neither mainnet's nor devnet's. */
  readonly usdcMint?: string;
  /** Waits this number of milliseconds before the next attempt; a timer when left out. */
  readonly wait?: (ms: number) => Promise<void>;
}

const OPTIONS: readonly string[] = 'maxAmount recipient attempts timeoutMs clock store usdcMint wait'.split(
  ' ',
);

/** A `fetch` that pays for resources. */
export interface PayingFetch {
  /** Throws PaymentError, also while the body of a paid response is read, and errors of `fetch` while nothing was paid. */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Payments that have not bought their response yet, oldest first. */
  unfinished(): Promise<readonly PaymentRecord[]>;
  /** Abandons a payment: the next call for its resource pays again. Its id is in `unfinished()`. */
  forget(id: string): Promise<void>;
}

/** Reads a request once, so that it can be resent. A plain URL is not converted to a Request, which is slow. */
async function sendable(input: string | URL | Request, init: RequestInit | undefined) {
  const isPlain = init === undefined && !(input instanceof Request);
  const target = isPlain ? new URL(input) : new Request(input, init);
  const request = target instanceof Request ? target : null;
  const [url = ''] = (target instanceof Request ? target.url : target.href).split('#');
  const method = request?.method ?? 'GET';
  const body = request?.body ? Buffer.from(await request.arrayBuffer()) : null;
  return {
    url,
    fingerprint: fingerprintOf(method, url, body),
    init: {
      method,
      ...(request === null ? {} : { headers: request.headers, redirect: request.redirect }),
      ...(body === null ? {} : { body }),
    },
    signal: init?.signal ?? (input instanceof Request ? input.signal : null),
  };
}

/** A request that can be sent repeatedly. */
type Sendable = Readonly<Awaited<ReturnType<typeof sendable>>>;

/** The code in a service's refusal, which is not trustworthy. */
async function serviceCode(response: Response): Promise<unknown> {
  const body = (await limitedJson(response)) as { code?: unknown } | null;
  return body?.code ?? null;
}

type CheckedOptions = PayingOptions & { readonly maxAmount: MaxAmount; readonly store: PaymentStore };

class PayingClient {
  readonly #fetch: FetchLike;
  readonly #options: CheckedOptions;
  readonly #parts: PaymentParts;
  /** The recipient of the first payment to each origin. */
  readonly #recipients = new Map<string, string>();
  /** Payments in progress in this process, by id. */
  readonly #busy = new Map<string, PaymentRecord>();

  constructor(fetcher: FetchLike, payer: Payer, options: CheckedOptions) {
    this.#fetch = fetcher;
    this.#options = options;
    this.#parts = {
      payer,
      store: options.store,
      patience: {
        attempts: options.attempts ?? DEFAULT_ATTEMPTS,
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        wait: options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
      },
      clock: options.clock ?? { nowMs: () => Date.now() },
    };
  }

  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = await sendable(input, init);
    const begun = (await this.#parts.store.of(request.fingerprint)).find(({ id }) => !this.#busy.has(id));
    const { origin } = new URL(request.url);
    if (begun !== undefined) {
      if (begun.receipt === null) this.#checkTakenUp(begun, origin);
      return this.#finish(request, begun, { isTakenUp: true });
    }
    const response = await this.#send(request, {});
    if (response.status !== 402) return response;
    discard(response);
    const offer = readOffer(response);
    const id = paymentKey(offer, origin);
    const known = await this.#parts.store.all();
    // From this check to the record in #busy nothing may be awaited.
    this.#check(offer, origin, this.#options.clock ?? null);
    if (this.#busy.has(id) || known.some((record) => record.id === id)) {
      const details = { reason: 'the service asks for the same payment in two responses', payment: id };
      throw new PaymentError('malformed_request', { request: offer.request, details });
    }
    request.signal?.throwIfAborted();
    const { url, fingerprint } = request;
    const begunMs = this.#parts.clock.nowMs();
    const record = { ...offer, id, url, fingerprint, begunMs, receipt: null, isInDoubt: false };
    return this.#finish(request, record, { isTakenUp: false });
  }

  /** Checks a payment of an earlier call, which may have to be made now, against the limits of this client. */
  #checkTakenUp(record: PaymentRecord, origin: string): void {
    try {
      // If it was paid, its expiry does not matter; if not, the bank refuses it.
      this.#check(record, origin, null);
    } catch (cause) {
      if (!(cause instanceof PaymentError)) throw cause;
      const { request, id } = record;
      const details = { ...cause.details, payment: id, reason: cause.code };
      throw new PaymentError('payment_unknown', { request, details, cause });
    }
  }

  #check(offer: Offer, origin: string, clock: PaywallClock | null): void {
    const { maxAmount, recipient: given, usdcMint } = this.#options;
    const recipient = typeof given === 'function' ? given(origin) : (given ?? null);
    // While the first payment to an origin is in progress, its recipient counts already.
    const first = [...this.#busy.values()].find(({ url }) => new URL(url).origin === origin);
    checkOffer(offer, {
      maxAmount,
      recipient: recipient ?? this.#recipients.get(origin) ?? first?.request.recipient ?? null,
      clock,
      usdcMints: usdcMint === undefined ? KNOWN_USDC : [usdcMint],
    });
  }

  async #finish(
    request: Sendable,
    record: PaymentRecord,
    how: { readonly isTakenUp: boolean },
  ): Promise<Response> {
    this.#busy.set(record.id, record);
    try {
      if (record.receipt === null) await this.#parts.store.put(record);
      const receipt = record.receipt ?? (await executePayment(this.#parts, record, how));
      this.#recipients.set(new URL(record.url).origin, record.request.recipient);
      const response = await this.#present(request, record, receipt);
      await this.#parts.store.remove(record.id);
      // A body may be left unread, so only one that breaks off brings the record back.
      return withBreak(response, async (cause) => {
        await this.#parts.store.put({ ...record, receipt });
        const details = { payment: record.id, reason: 'the body broke off' };
        return new PaymentError('not_served', { request: record.request, receipt, details, cause });
      });
    } finally {
      this.#busy.delete(record.id);
    }
  }

  /** Presents a receipt until the service responds. It buys one response, so presenting it again cannot buy two. */
  async #present(request: Sendable, record: PaymentRecord, receipt: PaymentReceipt): Promise<Response> {
    const headers = { 'x-payment-receipt': encodeHeader(receipt) };
    const about = { request: record.request, receipt };
    let last: { details: Readonly<Record<string, unknown>>; cause?: unknown } = { details: {} };
    for (let attempt = 0; attempt < this.#parts.patience.attempts; attempt += 1) {
      if (attempt > 0) await this.#parts.patience.wait(pauseMs(attempt - 1));
      let response: Response;
      try {
        response = await this.#send(request, headers);
      } catch (cause) {
        if (request.signal?.aborted === true) throw new PaymentError('not_served', { ...about, cause });
        last = { details: { payment: record.id, reason: 'no answer' }, cause };
        continue;
      }
      if (response.status === 402) {
        const details = { payment: record.id, service_code: await serviceCode(response) };
        throw new PaymentError('refused_after_payment', { ...about, details });
      }
      if (response.status < 500 && !TURNED_AWAY.has(response.status)) return response;
      discard(response);
      last = { details: { payment: record.id, status: response.status } };
      if (response.status < 500) break;
    }
    throw new PaymentError('not_served', { ...about, ...last });
  }

  async #send(
    { url, init, signal: given }: Sendable,
    extra: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value);
    return responseWithin(this.#parts.patience.timeoutMs, given, (signal) =>
      this.#fetch(url, { ...init, headers, signal }),
    );
  }
}

/**
 * A `fetch` that pays services through the bank. It parses the 402, and checks amount, token and recipient. It pays under an Idempotency-Key
 * derived from the payment request, and retries with the receipt. No payment request is paid twice, even when responses are lost. If a
 * resource was paid for and not served, the next call presents the same receipt instead of paying again.
 */
export function payingFetch(fetcher: FetchLike, agent: Payer, options: PayingOptions): PayingFetch {
  const given = { ...options };
  checkMembers('the options of payingFetch', given, OPTIONS);
  const { store = new MemoryPaymentStore() } = given;
  const client = new PayingClient(fetcher, agent, { ...given, maxAmount: limitsOf(given.maxAmount), store });
  return Object.assign((input: string | URL | Request, init?: RequestInit) => client.fetch(input, init), {
    unfinished: async () => store.all(),
    forget: async (id: string) => store.remove(id),
  });
}
