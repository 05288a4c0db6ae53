import { type Bank, refusalOf } from '../../bank/bank.js';
import { type Endpoint, type EndpointId, endpoints } from '../../contract/endpoints.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import { type Refusal, sentenceOf } from '../../core/domain/errors.js';
import { type Result, ok, refuse } from '../../core/domain/result.js';
import { MAX_TEXT, shortText, shortValue } from '../../core/domain/short-text.js';
import type { Variants } from '../../core/domain/variants.js';
import { type FaultEffect, type Faults, applyFaults } from '../../runtime/faults/faults.js';
import { type AnsweredRequest, type PendingRequest, arrived } from './answered-request.js';
import { refusalBody, statusOf } from './answers.js';
import type { ApiRequest, ApiResponse } from './request.js';
import { type ServiceFacts, onboarding } from './discovery.js';
import { type Call, type Handler, PATH_CHECKS, handlers } from './handlers.js';
import type { CallRecorderSlot, CallTrace } from './recorder-port.js';

export interface ServiceOptions {
  readonly bank: Bank;
  readonly variants: Variants;
  readonly facts: ServiceFacts;
  /** Runs shared work, after due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  /** Runs shared work on the world as it is, so that reads change nothing. */
  readonly runWithoutCatchUp: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  /** Number of rollbacks to the durable state. */
  readonly rollbackCount: () => number;
  /**
   * Resolves before a response may be sent; null when there is nothing to wait for. Rejects when the effects
   * were rolled back, which is also the case when the world was rolled back since `rollbackCount`.
   */
  readonly whenDurable: (rollbackCount?: number) => Promise<void> | null;
  readonly onAnswer: (answered: AnsweredRequest) => void;
  readonly faults: Faults;
  readonly recorder: CallRecorderSlot;
  /** Waits milliseconds of the world's time. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with exceptions: each is a bug. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

const MAX_KEY_LENGTH = 255;

/** Inputs up to this many characters are logged. */
const LOGGED_INPUT = 2_048;

/** How often a read is retried that has seen changes which were rolled back. */
const READ_TRIES = 8;

/** A fault's replacement for a response. */
class InjectedResponse {
  constructor(readonly effect: FaultEffect) {}
}

/** The wallet that a body without a token names; null for none. */
function namedWallet(request: ApiRequest): string | null {
  const json = request.body();
  if (!json.ok || typeof json.value !== 'object' || json.value === null) return null;
  const wallet = 'wallet' in json.value ? json.value.wallet : null;
  return typeof wallet === 'string' ? wallet : null;
}

const NOTHING = ok(undefined);
const ANYBODY = ok('');

interface Issue {
  readonly path: PropertyKey[];
  readonly message: string;
}

function invalid(part: string, issues: readonly Issue[]): Result<never> {
  return refuse('invalid_request', {
    issues: issues.map(({ path, message }) => ({ path: [part, ...path].join('.'), message })),
  });
}

function parsePart(part: string, schema: Endpoint['body'], value: unknown): Result<unknown> {
  if (schema === undefined) return NOTHING;
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : invalid(part, parsed.error.issues);
}

function parseBody(schema: Endpoint['body'], request: ApiRequest): Result<unknown> {
  if (schema === undefined) return NOTHING;
  const json = request.body();
  return json.ok ? parsePart('body', schema, json.value) : json;
}

interface Route {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly handler: Handler<EndpointId>;
}

/** A call in progress. */
interface PendingCall {
  readonly pending: PendingRequest;
  readonly cause: RequestContext;
  /** `null` while nothing is recorded. */
  readonly trace: CallTrace | null;
}

/** The service: runs operations with their checks in order of precedence, numbers and logs them, and injects faults. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #routes: ReadonlyMap<EndpointId, Route>;

  constructor(options: ServiceOptions) {
    this.#options = options;
    const byId = handlers(options.bank, (origin) => onboarding(origin, options.facts));
    this.#routes = new Map(
      (Object.entries(endpoints(options.variants)) as [EndpointId, Endpoint][]).map(([id, endpoint]) => [
        id,
        { id, endpoint, handler: byId[id] },
      ]),
    );
  }

  /** Runs an operation. Never rejects. */
  call(id: EndpointId, request: ApiRequest): Promise<ApiResponse> {
    const route = this.#routes.get(id) as Route;
    const { on } = this.#options.recorder;
    const trace = on === null ? null : on.call(id, request);
    const run = (pending: PendingRequest, isAgain: boolean) => {
      pending.operation = id;
      if (!isAgain) trace?.begun(pending.requestId);
      return this.#run(route, request, { pending, trace, isAgain });
    };
    const isRead = route.endpoint.method === 'GET' && id !== 'x402Request';
    return this.answer(request, run, { isRead, trace });
  }

  /** Answers a request that is not an operation, such as a page or an unknown path. Never rejects. */
  async answer(
    { method, path }: Pick<ApiRequest, 'method' | 'path'>,
    run: (pending: PendingRequest, isAgain: boolean) => Promise<Result<unknown> | InjectedResponse>,
    { isRead, trace }: { isRead: boolean; trace: CallTrace | null } = { isRead: true, trace: null },
  ): Promise<ApiResponse> {
    const { newRequestId, onAnswer, whenDurable } = this.#options;
    const startedMs = performance.now();
    const pending = arrived({ requestId: newRequestId(), method, path });
    let result: Result<unknown> | InjectedResponse;
    try {
      result = await run(pending, false);
    } catch (error) {
      result = this.#failed(error, pending);
    }
    const written = whenDurable();
    if (written !== null)
      try {
        result = await this.#awaitDurable(result, written, isRead ? () => run(pending, true) : null);
      } catch (error) {
        result = this.#failed(error, pending);
      }
    const body = this.#bodyOf(result, pending);
    trace?.answered(body, pending.wallet);
    pending.ms = performance.now() - startedMs;
    onAnswer(pending);
    return { requestId: pending.requestId, body };
  }

  #failed(error: unknown, { requestId }: PendingRequest): Result<never> {
    const known = refusalOf(error);
    if (known === null) this.#options.onBug(error, requestId);
    return known === null ? refuse('internal_error') : { ok: false, refusal: known };
  }

  /**
   * Returns a result once its effects are durable. A read that has seen changes which were rolled back is retried on the world as
   * it is, which creates no further changes to persist; `again` is null for writes. Throws StorageUnavailable.
   */
  async #awaitDurable<R>(
    first: R,
    firstWritten: Promise<void>,
    again: (() => Promise<R>) | null,
  ): Promise<R> {
    let [result, written]: [R, Promise<void> | null] = [first, firstWritten];
    for (let triesLeft = READ_TRIES; written !== null; triesLeft -= 1) {
      try {
        await written;
        return result;
      } catch (error) {
        if (again === null || triesLeft === 0) throw error;
      }
      result = await again();
      written = this.#options.whenDurable();
    }
    return result;
  }

  #bodyOf(result: Result<unknown> | InjectedResponse, pending: PendingRequest): ApiResponse['body'] {
    if (result instanceof InjectedResponse) return injectedResponse(result.effect, pending);
    if (!result.ok) return this.#refused(result.refusal, pending);
    pending.status = 200;
    return { status: 200, body: result.value, retryAfterSeconds: null };
  }

  /** Text that a refusal repeats from the request is cut to a fixed length. */
  #refused(refused: Refusal, pending: PendingRequest): ApiResponse['body'] {
    const refusal = shortRefusal(refused);
    const status = statusOf(refusal, this.#options.variants.errorStatus);
    pending.status = status;
    pending.code = refusal.code;
    pending.message = sentenceOf(refusal);
    pending.details = refusal.details ?? null;
    return { status, body: refusalBody(refusal, pending.requestId), retryAfterSeconds: null };
  }

  async #run(
    route: Route,
    request: ApiRequest,
    { pending, trace, isAgain }: { pending: PendingRequest; trace: CallTrace | null; isAgain: boolean },
  ): Promise<Result<unknown> | InjectedResponse> {
    const { faults, inWorld, runWithoutCatchUp } = this.#options;
    if (!faults.isEmpty && !isAgain) return this.#withFaults(route, request, pending, trace);
    const cause = { requestId: pending.requestId, trouble: null };
    return (isAgain ? runWithoutCatchUp : inWorld)(() =>
      this.#enter(route, request, { pending, cause, trace }),
    );
  }

  /** `#run` with faults: injected before and after the call, and on the way to the chain. */
  async #withFaults(
    route: Route,
    request: ApiRequest,
    pending: PendingRequest,
    trace: CallTrace | null,
  ): Promise<Result<unknown> | InjectedResponse> {
    const { faults, inWorld, sleep, bank, rollbackCount, whenDurable } = this.#options;
    const { endpoint } = route;
    const plan = await inWorld(async () => {
      const known = endpoint.auth === 'none' ? null : await bank.authenticate(request.authorization);
      const named = endpoint.body === undefined ? null : namedWallet(request);
      const wallet = known === null ? named : known.ok ? known.value : null;
      if (known !== null) pending.wallet = wallet;
      const { nowMs } = bank.env();
      const wallets = wallet === null ? [] : [wallet];
      const met = faults.meet({ kind: 'api', name: route.id, wallets, nowMs });
      trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    pending.faults = plan.told;
    const before = await applyFaults(plan.before, sleep);
    if (before !== null) return new InjectedResponse(before);
    const cause = { requestId: pending.requestId, trouble: plan.trouble };
    let rollbacksBefore = 0;
    const result = await inWorld(() => {
      rollbacksBefore = rollbackCount();
      return this.#enter(route, request, { pending, cause, trace });
    });
    const after = await applyFaults(plan.after, sleep);
    // During the delay, its effects may have been rolled back.
    if (rollbacksBefore !== rollbackCount()) await whenDurable(rollbacksBefore);
    return after === null ? result : new InjectedResponse(after);
  }

  #enter(
    route: Route,
    request: ApiRequest,
    { pending, cause, trace }: PendingCall,
  ): Result<unknown> | Promise<Result<unknown>> {
    const isOpen = route.endpoint.auth === 'none';
    const wallet = isOpen ? ANYBODY : this.#options.bank.authenticate(request.authorization);
    const proceed = (known: Result<string>) => {
      if (!known.ok) return known;
      pending.wallet = isOpen ? null : known.value;
      return this.#carryOut(route, request, { wallet: known.value, pending, cause });
    };
    const go = trace === null ? proceed : (known: Result<string>) => trace.still(() => proceed(known));
    return wallet instanceof Promise ? wallet.then(go) : go(wallet);
  }

  // After authentication, in order of precedence: path, body, query, then the operation's own checks.
  #carryOut(
    { id, endpoint, handler }: Route,
    request: ApiRequest,
    { wallet, pending, cause }: { wallet: string; pending: PendingRequest; cause: RequestContext },
  ): Result<unknown> | Promise<Result<unknown>> {
    const { bank } = this.#options;
    const { params } = request;
    const path = PATH_CHECKS[id]?.(bank, wallet, params) ?? NOTHING;
    if (!path.ok) return path;
    const body = parseBody(endpoint.body, request);
    if (!body.ok) return body;
    const query =
      endpoint.query === undefined ? NOTHING : parsePart('query', endpoint.query, request.query());
    if (!query.ok) return query;
    if (endpoint.auth === 'bearer' && request.size <= LOGGED_INPUT)
      pending.input = body.value ?? (request.hasQuery ? (query.value ?? null) : null);
    const origin = id === 'onboard' ? request.origin() : '';
    const call = { wallet, params, query: query.value, body: body.value, origin, cause } as Call<EndpointId>;
    const repeatable = endpoint.method === 'POST' && endpoint.auth === 'bearer';
    const key = repeatable ? request.key() : null;
    if (key === null) return handler(call);
    if (key === '' || key.length > MAX_KEY_LENGTH) {
      const message = `must have 1 to ${MAX_KEY_LENGTH} characters`;
      return invalid('header', [{ path: ['Idempotency-Key'], message }]);
    }
    const outcomeNow = (outflow: number) => bank.payouts.outcomeNow(outflow);
    const { requestId } = cause;
    const first = { wallet, key, operation: id, input: { params, body: call.body }, requestId, outcomeNow };
    return bank.idempotency.once(first, bank.env().nowMs, async () => handler(call));
  }
}

function shortRefusal({ code, details, message, underWay }: Refusal): Refusal {
  return {
    code,
    ...(details === undefined ? {} : { details: shortValue(details) as Refusal['details'] & object }),
    ...(message === undefined ? {} : { message: shortText(message, MAX_TEXT) }),
    ...(underWay === undefined ? {} : { underWay }),
  };
}

function injectedResponse(effect: FaultEffect, pending: PendingRequest): ApiResponse['body'] {
  if (effect.kind !== 'answer') return null;
  const { status, code, message, retryAfterSeconds } = effect;
  const details = { faults: pending.faults.map(({ fault }) => fault) };
  Object.assign(pending, { status, code, message, details });
  const body = { error: message, code, details, requestId: pending.requestId };
  return { status, body, retryAfterSeconds };
}
