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
import type { CallRecorderSlot, CallTrace } from './call-recorder.js';

export interface ServiceOptions {
  readonly bank: Bank;
  readonly variants: Variants;
  readonly facts: ServiceFacts;
  /** Runs a request together with others, in a world whose due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  /** The same in the world as it is, so that work that only looks changes nothing. */
  readonly runWithoutCatchUp: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  /** How often the world went back to what the disk holds, and lost what was done since. */
  readonly rollbackCount: () => number;
  /**
   * A promise to wait for before an answer is given; null for none. It is broken when nothing stays of what was done, which was after so
   * many losses.
   */
  readonly whenDurable: (rollbackCount?: number) => Promise<void> | null;
  readonly onAnswer: (answered: AnsweredRequest) => void;
  readonly faults: Faults;
  readonly recorder: CallRecorderSlot;
  /** Lets so many milliseconds of the world's time pass. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of exceptions: each is a bug. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

const MAX_KEY_LENGTH = 255;

/** Inputs up to so many characters are kept for the log. */
const KEPT_INPUT = 2_048;

/** So often a read is made again that has seen what could not be kept. */
const READ_TRIES = 8;

/** What a fault puts in the place of an answer. */
class InjectedResponse {
  constructor(readonly effect: FaultEffect) {}
}

/** The wallet that a body without a token is about; null when it names none. */
function namedWallet(asked: ApiRequest): string | null {
  const json = asked.body();
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

function parseBody(schema: Endpoint['body'], asked: ApiRequest): Result<unknown> {
  if (schema === undefined) return NOTHING;
  const json = asked.body();
  return json.ok ? parsePart('body', schema, json.value) : json;
}

interface Route {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly handler: Handler<EndpointId>;
}

/** A call that has come into the world. */
interface PendingCall {
  readonly scheduler: PendingRequest;
  readonly cause: RequestContext;
  /** Null while nothing is recorded. */
  readonly trace: CallTrace | null;
}

/** The service: each operation in its order of refusals, numbered, logged, and struck by faults. */
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

  /** Carries an operation out. Never rejects. */
  call(id: EndpointId, asked: ApiRequest): Promise<ApiResponse> {
    const route = this.#routes.get(id) as Route;
    const { on } = this.#options.recorder;
    const trace = on === null ? null : on.call(id, asked);
    const run = (scheduler: PendingRequest, isAgain: boolean) => {
      scheduler.operation = id;
      if (!isAgain) trace?.begun(scheduler.requestId);
      return this.#run(route, asked, { scheduler, trace, isAgain });
    };
    const isRead = route.endpoint.method === 'GET' && id !== 'x402Request';
    return this.answer(asked, run, { isRead, trace });
  }

  /** Answers what is no operation, such as a page or an unknown path. Never rejects. */
  async answer(
    { method, path }: Pick<ApiRequest, 'method' | 'path'>,
    run: (scheduler: PendingRequest, isAgain: boolean) => Promise<Result<unknown> | InjectedResponse>,
    { isRead, trace }: { isRead: boolean; trace: CallTrace | null } = { isRead: true, trace: null },
  ): Promise<ApiResponse> {
    const { newRequestId, onAnswer, whenDurable } = this.#options;
    const startedMs = performance.now();
    const scheduler = arrived({ requestId: newRequestId(), method, path });
    let result: Result<unknown> | InjectedResponse;
    try {
      result = await run(scheduler, false);
    } catch (error) {
      result = this.#failed(error, scheduler);
    }
    const written = whenDurable();
    if (written !== null)
      try {
        result = await this.#awaitDurable(result, written, isRead ? () => run(scheduler, true) : null);
      } catch (error) {
        result = this.#failed(error, scheduler);
      }
    const told = this.#told(result, scheduler);
    trace?.answered(told, scheduler.wallet);
    scheduler.ms = performance.now() - startedMs;
    onAnswer(scheduler);
    return { requestId: scheduler.requestId, body: told };
  }

  #failed(error: unknown, { requestId }: PendingRequest): Result<never> {
    const known = refusalOf(error);
    if (known === null) this.#options.onBug(error, requestId);
    return known === null ? refuse('internal_error') : { ok: false, refusal: known };
  }

  /**
   * A result once everything that it tells of is kept. What was seen while others could not be kept is looked at again, in the world as
   * it is, which changes nothing that would have to be kept; `again` is null for what changes something itself. Throws StorageUnavailable.
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

  #told(result: Result<unknown> | InjectedResponse, scheduler: PendingRequest): ApiResponse['body'] {
    if (result instanceof InjectedResponse) return injectedResponse(result.effect, scheduler);
    if (!result.ok) return this.#refused(result.refusal, scheduler);
    scheduler.status = 200;
    return { status: 200, body: result.value, retryAfterSeconds: null };
  }

  /** What a refusal repeats of the request is cut to a fixed length. */
  #refused(refused: Refusal, scheduler: PendingRequest): ApiResponse['body'] {
    const refusal = shortRefusal(refused);
    const status = statusOf(refusal, this.#options.variants.errorStatus);
    scheduler.status = status;
    scheduler.code = refusal.code;
    scheduler.message = sentenceOf(refusal);
    scheduler.details = refusal.details ?? null;
    return { status, body: refusalBody(refusal, scheduler.requestId), retryAfterSeconds: null };
  }

  async #run(
    route: Route,
    asked: ApiRequest,
    { scheduler, trace, isAgain }: { scheduler: PendingRequest; trace: CallTrace | null; isAgain: boolean },
  ): Promise<Result<unknown> | InjectedResponse> {
    const { faults, inWorld, runWithoutCatchUp } = this.#options;
    if (!faults.isEmpty && !isAgain) return this.#withFaults(route, asked, scheduler, trace);
    const cause = { requestId: scheduler.requestId, trouble: null };
    return (isAgain ? runWithoutCatchUp : inWorld)(() =>
      this.#enter(route, asked, { scheduler, cause, trace }),
    );
  }

  /** The same while there are faults: they may strike before and after, and on the way to the chain. */
  async #withFaults(
    route: Route,
    asked: ApiRequest,
    scheduler: PendingRequest,
    trace: CallTrace | null,
  ): Promise<Result<unknown> | InjectedResponse> {
    const { faults, inWorld, sleep, bank, rollbackCount, whenDurable } = this.#options;
    const { endpoint } = route;
    const plan = await inWorld(async () => {
      const known = endpoint.auth === 'none' ? null : await bank.authenticate(asked.authorization);
      const named = endpoint.body === undefined ? null : namedWallet(asked);
      const wallet = known === null ? named : known.ok ? known.value : null;
      if (known !== null) scheduler.wallet = wallet;
      const { nowMs } = bank.env();
      const wallets = wallet === null ? [] : [wallet];
      const met = faults.meet({ kind: 'api', name: route.id, wallets, nowMs });
      trace?.arrived(met.before.some(({ kind }) => kind === 'delay'));
      return met;
    });
    scheduler.faults = plan.told;
    const before = await applyFaults(plan.before, sleep);
    if (before !== null) return new InjectedResponse(before);
    const cause = { requestId: scheduler.requestId, trouble: plan.trouble };
    let lossesBefore = 0;
    const result = await inWorld(() => {
      lossesBefore = rollbackCount();
      return this.#enter(route, asked, { scheduler, cause, trace });
    });
    const after = await applyFaults(plan.after, sleep);
    // While it waited, the disk may not have taken what it did.
    if (lossesBefore !== rollbackCount()) await whenDurable(lossesBefore);
    return after === null ? result : new InjectedResponse(after);
  }

  #enter(
    route: Route,
    asked: ApiRequest,
    { scheduler, cause, trace }: PendingCall,
  ): Result<unknown> | Promise<Result<unknown>> {
    const isOpen = route.endpoint.auth === 'none';
    const wallet = isOpen ? ANYBODY : this.#options.bank.authenticate(asked.authorization);
    const proceed = (known: Result<string>) => {
      if (!known.ok) return known;
      scheduler.wallet = isOpen ? null : known.value;
      return this.#carryOut(route, asked, { wallet: known.value, scheduler, cause });
    };
    const go = trace === null ? proceed : (known: Result<string>) => trace.still(() => proceed(known));
    return wallet instanceof Promise ? wallet.then(go) : go(wallet);
  }

  // In the order of precedence, the token being judged: path, body, then the operation's own checks.
  #carryOut(
    { id, endpoint, handler }: Route,
    asked: ApiRequest,
    { wallet, scheduler, cause }: { wallet: string; scheduler: PendingRequest; cause: RequestContext },
  ): Result<unknown> | Promise<Result<unknown>> {
    const { bank } = this.#options;
    const { params } = asked;
    const path = PATH_CHECKS[id]?.(bank, wallet, params) ?? NOTHING;
    if (!path.ok) return path;
    const body = parseBody(endpoint.body, asked);
    if (!body.ok) return body;
    const query = endpoint.query === undefined ? NOTHING : parsePart('query', endpoint.query, asked.query());
    if (!query.ok) return query;
    if (endpoint.auth === 'bearer' && asked.size <= KEPT_INPUT)
      scheduler.input = body.value ?? (asked.hasQuery ? (query.value ?? null) : null);
    const origin = id === 'onboard' ? asked.origin() : '';
    const call = { wallet, params, query: query.value, body: body.value, origin, cause } as Call<EndpointId>;
    const repeatable = endpoint.method === 'POST' && endpoint.auth === 'bearer';
    const key = repeatable ? asked.key() : null;
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

function injectedResponse(effect: FaultEffect, scheduler: PendingRequest): ApiResponse['body'] {
  if (effect.kind !== 'answer') return null;
  const { status, code, message, retryAfterSeconds } = effect;
  const details = { faults: scheduler.faults.map(({ fault }) => fault) };
  Object.assign(scheduler, { status, code, message, details });
  const body = { error: message, code, details, requestId: scheduler.requestId };
  return { status, body, retryAfterSeconds };
}
