import { type Bank, refusalOf } from '../../bank/bank.js';
import { MAX_KEY_LENGTH } from '../../contract/common.js';
import { type Endpoint, type EndpointId, endpoints, onlyReads } from '../../contract/endpoints.js';
import { parseBySchema } from '../../contract/parse.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import { type Refusal, messageOf } from '../../core/domain/errors.js';
import { type Result, ok, refuse } from '../../core/domain/result.js';
import { MAX_TEXT, shortText, shortValue } from '../../core/domain/short-text.js';
import { isObject } from '../../core/json.js';
import type { BankLimits } from '../../core/domain/bank-limits.js';
import type { State } from '../../core/domain/state.js';
import type { Variants } from '../../core/domain/variants.js';
import type { FaultEffect, IncomingCall } from '../../runtime/faults/fault-rules.js';
import type { ApiRequest, ApiResponse } from '../pipeline/api-request.js';
import {
  LOGGED_ANSWER,
  LOGGED_INPUT,
  PendingRequest,
  type RequestRecord,
} from '../pipeline/pending-request.js';
import type { RequestPipeline, RequestStages, RequestWork } from '../pipeline/pipeline.js';
import { refusalBody, statusOf } from './answers.js';
import { type ServiceFacts, onboarding } from './discovery.js';
import { type Call, type Handler, PATH_CHECKS, handlers } from './handlers.js';

export interface ServiceOptions {
  readonly bank: Bank;
  readonly variants: Variants;
  readonly limits: BankLimits;
  readonly facts: ServiceFacts;
  readonly pipeline: RequestPipeline;
}

/** The wallet that a body without a token names; null for none. */
function namedWallet({ body }: Endpoint, request: ApiRequest): string | null {
  if (body === undefined) return null;
  const json = request.body();
  const wallet = json.ok && isObject(json.value) ? json.value['wallet'] : null;
  return typeof wallet === 'string' ? wallet : null;
}

const NOTHING = ok(undefined);

/** A request's record and its caller: the authenticated customer, or why there is none; null where no token is needed. */
interface AuthenticatedCall {
  readonly record: RequestRecord;
  readonly caller: Result<string> | null;
  /** Reads its body and its query, once. */
  readonly parse: () => Result<{ readonly body: unknown; readonly query: unknown }>;
}

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
  const parsed = parseBySchema(schema, value);
  return parsed.success ? ok(parsed.data) : invalid(part, parsed.error.issues);
}

function parseBody(schema: Endpoint['body'], request: ApiRequest): Result<unknown> {
  if (schema === undefined) return NOTHING;
  const json = request.body();
  return json.ok ? parsePart('body', schema, json.value) : json;
}

/** The service: runs operations with their checks in order of precedence, numbers and logs them, and injects faults. */
export class Service {
  readonly facts: ServiceFacts;
  readonly limits: BankLimits;
  readonly endpoints: Readonly<Record<EndpointId, Endpoint>>;
  readonly #options: ServiceOptions;
  readonly #handlers: Readonly<Record<EndpointId, Handler<EndpointId>>>;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.facts = options.facts;
    this.limits = options.limits;
    this.endpoints = endpoints(options.variants, options.limits);
    this.#handlers = handlers(options.bank, (origin) => onboarding(origin, options));
  }

  call(id: EndpointId, request: ApiRequest): Promise<ApiResponse> {
    const { pipeline, bank } = this.#options;
    const endpoint = this.endpoints[id];
    const pending = this.#pending(request);
    const { record } = pending;
    record.operation = id;
    pending.trace = pipeline.recorder.on?.call(id, request, record.requestId) ?? null;
    const authenticated = () => (endpoint.auth === 'none' ? null : bank.authenticate(request.authorization));
    let parsed: ReturnType<AuthenticatedCall['parse']> | null = null;
    const parse = () => (parsed ??= this.#parsed(id, request, record));
    // Fault rules need the caller before the work does. It is the same caller while books and time are the same.
    let earlier: { caller: Result<string> | null; books: State; nowMs: number } | null = null;
    const target = () => {
      const { nowMs } = bank.env();
      earlier = { caller: authenticated(), books: bank.books.state, nowMs };
      return this.#target(id, request, { record, caller: earlier.caller, parse, nowMs });
    };
    const run = (cause: RequestContext) =>
      pending.still(() => {
        const isSame = earlier?.books === bank.books.state && earlier.nowMs === bank.env().nowMs;
        const caller = earlier !== null && isSame ? earlier.caller : authenticated();
        return this.#carryOut(id, request, { record, caller, parse, cause });
      });
    const needsSavings = endpoint.auth !== 'none';
    const work = { isRead: onlyReads(endpoint), target, needsSavings, run };
    return pipeline.answer(pending, this.#stages(pending, work));
  }

  /** Responds to a request that is not an operation, such as a page or an unknown path. Never rejects. */
  answer(
    request: Pick<ApiRequest, 'method' | 'path'>,
    run: () => Promise<Result<unknown>>,
  ): Promise<ApiResponse> {
    const pending = this.#pending(request);
    const work = { isRead: true, takesLock: true, run };
    return this.#options.pipeline.answer(pending, this.#stages(pending, work));
  }

  #pending({ method, path }: Pick<ApiRequest, 'method' | 'path'>): PendingRequest<ApiResponse> {
    const requestId = this.#options.pipeline.newRequestId('req');
    return new PendingRequest({ requestId, interface: 'api', method, path });
  }

  #stages(
    { record }: PendingRequest<ApiResponse>,
    work: RequestWork<Result<unknown>>,
  ): RequestStages<Result<unknown>, ApiResponse> {
    const { requestId } = record;
    return {
      enter: () => work,
      render: (result, instead) => ({
        requestId,
        body: result === null || instead !== null ? injected(instead, record) : this.#bodyOf(result, record),
      }),
      fail: (error) => ({ requestId, body: this.#refused(this.#refusalOf(error, record), record) }),
    };
  }

  #refusalOf(error: unknown, { requestId }: RequestRecord): Refusal {
    const known = refusalOf(error);
    if (known === null) this.#options.pipeline.bug(error, requestId);
    return known ?? { code: 'internal_error' };
  }

  #bodyOf(result: Result<unknown>, record: RequestRecord): ApiResponse['body'] {
    if (!result.ok) return this.#refused(result.refusal, record);
    record.status = 200;
    const answer = { status: 200, body: result.value, retryAfterSeconds: null };
    if (record.operation === null || !this.#options.pipeline.keepsAnswers) return answer;
    // Serialized once, for the log and for the client.
    const json = JSON.stringify(answer.body);
    const isSecret = this.endpoints[record.operation as EndpointId].area === 'auth';
    if (!isSecret) record.answer = shortText(json, LOGGED_ANSWER);
    return { ...answer, json };
  }

  /** Cuts text that a refusal repeats from the request. */
  #refused(refused: Refusal, record: RequestRecord): ApiResponse['body'] {
    const refusal = shortRefusal(refused);
    const status = statusOf(refusal, this.#options.variants.errorStatus);
    record.status = status;
    record.code = refusal.code;
    record.message = messageOf(refusal);
    record.details = refusal.details ?? null;
    return { status, body: refusalBody(refusal, record.requestId), retryAfterSeconds: null };
  }

  /** The call for fault rules. Its wallet is the token's, or the wallet in the body when there is no token. */
  #target(
    id: EndpointId,
    request: ApiRequest,
    { record, caller, parse, nowMs }: AuthenticatedCall & { readonly nowMs: number },
  ): IncomingCall {
    if (caller?.ok === true) {
      record.wallet = caller.value;
      // For a fault that replaces the response before the work.
      parse();
    }
    const wallet = caller === null ? namedWallet(this.endpoints[id], request) : record.wallet;
    return { kind: 'api', name: id, wallets: wallet === null ? [] : [wallet], nowMs };
  }

  /** The body and the query of a call, which are logged. */
  #parsed(
    id: EndpointId,
    request: ApiRequest,
    record: RequestRecord,
  ): ReturnType<AuthenticatedCall['parse']> {
    const endpoint = this.endpoints[id];
    const body = parseBody(endpoint.body, request);
    if (!body.ok) return body;
    const query =
      endpoint.query === undefined ? NOTHING : parsePart('query', endpoint.query, request.query());
    if (!query.ok) return query;
    if (endpoint.auth === 'bearer' && request.size <= LOGGED_INPUT)
      record.input = body.value ?? (request.hasQuery ? (query.value ?? null) : null);
    return ok({ body: body.value, query: query.value });
  }

  // In order of precedence: token, path, body, query, then the operation's own checks.
  #carryOut(
    id: EndpointId,
    request: ApiRequest,
    { record, caller, parse, cause }: AuthenticatedCall & { readonly cause: RequestContext },
  ): Result<unknown> | Promise<Result<unknown>> {
    const { bank } = this.#options;
    const { params } = request;
    const endpoint = this.endpoints[id];
    const isRepeatable = endpoint.method === 'POST' && endpoint.auth === 'bearer';
    const key = isRepeatable ? request.key() : null;
    if (key !== null) record.idempotencyKey = shortText(key, MAX_KEY_LENGTH);
    if (caller?.ok === false) return caller;
    record.wallet = caller?.value ?? null;
    const wallet = record.wallet ?? '';
    const path = PATH_CHECKS[id]?.(bank, wallet, params) ?? NOTHING;
    if (!path.ok) return path;
    const parsed = parse();
    if (!parsed.ok) return parsed;
    const { body, query } = parsed.value;
    const origin = id === 'onboard' ? request.origin() : '';
    const call = { wallet, params, query, body, origin, cause } as Call<EndpointId>;
    const handler = this.#handlers[id];
    if (key === null) return handler(call);
    if (key === '' || key.length > MAX_KEY_LENGTH) {
      const message = `must have 1 to ${MAX_KEY_LENGTH} characters`;
      return invalid('header', [{ path: ['Idempotency-Key'], message }]);
    }
    const outcomeNow = (outflow: number) => bank.reservations.outcomeNow(outflow);
    const { requestId } = cause;
    const onRepeat = (first: string | null) => {
      record.repeats = first;
    };
    const input = { params, body };
    const repeatable = { wallet, key, operation: id, input, requestId, outcomeNow, onRepeat };
    return bank.idempotency.once(repeatable, bank.env().nowMs, async () => handler(call));
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

/** The response that a fault sends; null when the fault loses the response. */
function injected(instead: FaultEffect | null, record: RequestRecord): ApiResponse['body'] {
  if (instead?.kind !== 'replace-response') return null;
  const { status, code, message, retryAfterSeconds } = instead;
  const details = { faults: record.faults.map(({ fault }) => fault) };
  Object.assign(record, { status, code, message, details });
  const body = { error: message, code, details, requestId: record.requestId };
  return { status, body, retryAfterSeconds };
}
