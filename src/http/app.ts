import { type Context, Hono } from 'hono';
import { type Bank, refusalOf } from '../bank/bank.js';
import { BASE_PATH, type Endpoint, type EndpointId, endpoints } from '../contract/endpoints.js';
import type { Cause } from '../domain/cause.js';
import { type Refusal, sentenceOf } from '../domain/errors.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Variants } from '../domain/variants.js';
import { type FaultEffect, type Faults, type Strike, undergo } from '../faults/faults.js';
import { LostAnswer, jsonAnswer, refusalBody, statusOf } from './answers.js';
import { parseJson, readText } from './body.js';
import { type ServiceFacts, agentCard, docs, onboarding } from './discovery.js';
import { type Call, type Handler, PATH_CHECKS, handlers } from './handlers.js';

/** A request that was answered, or whose answer a fault has lost. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The operation; null for pages and unknown paths. */
  readonly operation: EndpointId | null;
  readonly wallet: string | null;
  /** Null when the answer was lost. */
  readonly status: number | null;
  /** The error code; null for a success. */
  readonly code: string | null;
  readonly message: string | null;
  readonly details: unknown;
  /** The parsed body or query of an operation with a token, unless it is large; null otherwise. */
  readonly input: unknown;
  /** The faults that struck it. */
  readonly strikes: readonly Strike[];
  readonly ms: number;
}

export interface AppOptions {
  readonly bank: Bank;
  readonly variants: Variants;
  readonly facts: ServiceFacts;
  /** Runs a request together with others, in a world whose due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  readonly onAnswer: (answered: AnsweredRequest) => void;
  readonly faults: Faults;
  /** Lets so many milliseconds of the world's time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** What stands before every path; empty for the world that a server begins with. */
  readonly mount: string;
  /** Told of exceptions: each is a bug. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

const MAX_KEY_LENGTH = 255;

/** Inputs up to so many characters are kept for the log. */
const KEPT_INPUT = 2_048;

/** What becomes known of a request on its way. */
interface Caller {
  readonly requestId: string;
  wallet: string | null;
  operation: EndpointId | null;
  input: unknown;
  strikes: readonly Strike[];
  /** What a fault puts in the place of the answer; null for none. */
  instead: FaultEffect | null;
}

interface Route {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly handler: Handler<EndpointId>;
}

interface Arrival {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  readonly authorization: string | undefined;
}

interface Arrived {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** The body's text, or why it could not be read; null for an endpoint without a body. */
  readonly text: Result<string> | null;
  readonly wallet: string;
  readonly caller: Caller;
  readonly cause: Cause;
}

/** The path of an absolute URL, without its query. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.indexOf('?', start);
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : end);
}

/** The wallet that a body without a token is about; null when it names none. */
function namedWallet(text: Result<string> | null): string | null {
  const json = text !== null && text.ok ? parseJson(text.value) : null;
  if (json === null || !json.ok || typeof json.value !== 'object' || json.value === null) return null;
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
  if (schema === undefined) return ok(undefined);
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : invalid(part, parsed.error.issues);
}

// Node's server has the headers ready; making a Headers object of them for one takes longer than reading an account.
function authorizationOf(context: Context): string | undefined {
  const { incoming } = (context.env ?? {}) as { incoming?: { headers: { authorization?: string } } };
  return incoming === undefined ? context.req.header('authorization') : incoming.headers.authorization;
}

function parseBody(schema: Endpoint['body'], text: Result<string>): Result<unknown> {
  const json = text.ok ? parseJson(text.value) : text;
  return json.ok ? parsePart('body', schema, json.value) : json;
}

function parseQuery(schema: Endpoint['query'], url: string): Result<unknown> {
  return parsePart('query', schema, Object.fromEntries(new URL(url).searchParams));
}

/** The HTTP face of the service: parses by the contract, calls the bank once, renders. */
export class App {
  readonly hono = new Hono();
  readonly #options: AppOptions;

  constructor(options: AppOptions) {
    this.#options = options;
    const { mount } = options;
    const table = endpoints(options.variants);
    const byId = handlers(options.bank, (origin) => onboarding(origin, options.facts));
    for (const [id, endpoint] of Object.entries(table) as [EndpointId, Endpoint][]) {
      const path = mount + BASE_PATH + endpoint.path.replace('{id}', ':id');
      const route = { id, endpoint, handler: byId[id] as Handler<EndpointId> };
      this.hono.on(endpoint.method, path, (context) =>
        this.#answer(context.req.raw, (request, caller) =>
          this.#run(route, {
            request,
            params: context.req.param(),
            caller,
            authorization: authorizationOf(context),
          }),
        ),
      );
    }
    const page = (path: string, make: (origin: string) => object | Promise<object>) =>
      this.hono.get(mount + path, (context) =>
        this.#answer(context.req.raw, async (request) => ok(await make(new URL(request.url).origin + mount))),
      );
    page('/.well-known/agent.json', (origin) => agentCard(origin, options.facts, table));
    page('/.well-known/agents.json', (origin) => ({ agents: [agentCard(origin, options.facts, table)] }));
    page(`${BASE_PATH}/docs`, (origin) => docs(origin, options.facts, table));
    page(`${BASE_PATH}/openapi.json`, async (origin) => {
      const { openApiDocument } = await import('../contract/openapi.js');
      return openApiDocument(table, origin);
    });
    this.hono.notFound((context) =>
      this.#answer(context.req.raw, async (request) => {
        const { pathname } = new URL(request.url);
        const hint = `There is no ${request.method} ${pathname}; see ${BASE_PATH}/docs for all paths.`;
        return refuse('not_found', { method: request.method, path: pathname }, hint);
      }),
    );
  }

  async #answer(
    request: Request,
    run: (request: Request, caller: Caller) => Promise<Result<unknown>>,
  ): Promise<Response> {
    const { newRequestId, onBug } = this.#options;
    const startedMs = performance.now();
    const requestId = newRequestId();
    const caller: Caller = {
      requestId,
      wallet: null,
      operation: null,
      input: null,
      strikes: [],
      instead: null,
    };
    let result: Result<unknown>;
    try {
      result = await run(request, caller);
    } catch (error) {
      const known = refusalOf(error);
      if (known === null) onBug(error, requestId);
      result = known === null ? refuse('internal_error') : { ok: false, refusal: known };
    }
    return this.#conclude(request, caller, { result, startedMs });
  }

  #conclude(
    request: Request,
    caller: Caller,
    { result, startedMs }: { result: Result<unknown>; startedMs: number },
  ): Response {
    const { onAnswer, variants } = this.#options;
    const { requestId, instead, wallet, operation, input, strikes } = caller;
    const told = {
      requestId,
      method: request.method,
      path: pathOf(request.url),
      operation,
      wallet,
      input,
      strikes,
      ms: performance.now() - startedMs,
    };
    if (instead === null) {
      const refusal: Refusal | null = result.ok ? null : result.refusal;
      const status = refusal === null ? 200 : statusOf(refusal, variants.errorStatus);
      const code = refusal?.code ?? null;
      const message = refusal === null ? null : sentenceOf(refusal);
      onAnswer({ ...told, status, code, message, details: refusal?.details ?? null });
      return jsonAnswer(result.ok ? result.value : refusalBody(result.refusal, requestId), status, requestId);
    }
    if (instead.kind !== 'answer') {
      onAnswer({ ...told, status: null, code: null, message: null, details: null });
      return new LostAnswer();
    }
    const { status, code, message, retryAfterSeconds } = instead;
    const details = { faults: strikes.map(({ fault }) => fault) };
    onAnswer({ ...told, status, code, message, details });
    const body = { error: message, code, details, requestId };
    const more = retryAfterSeconds === null ? undefined : { 'retry-after': String(retryAfterSeconds) };
    return jsonAnswer(body, status, requestId, more);
  }

  // The body is read before the world is entered, so that a slow sender holds nothing up; it is judged in its turn.
  async #run(route: Route, arrival: Arrival): Promise<Result<unknown>> {
    const { endpoint, id } = route;
    const { caller, request } = arrival;
    caller.operation = id;
    const text = endpoint.body === undefined ? null : await readText(request);
    const { faults, inWorld } = this.#options;
    if (!faults.isEmpty) return this.#troubled(route, arrival, text);
    const cause = { requestId: caller.requestId, trouble: null };
    return inWorld(() => this.#enter(route, arrival, { text, cause }));
  }

  /** The same while there are faults: they may strike before and after, and on the way to the chain. */
  async #troubled(route: Route, arrival: Arrival, text: Result<string> | null): Promise<Result<unknown>> {
    const { faults, inWorld, pass, bank } = this.#options;
    const { caller, authorization } = arrival;
    const plan = await inWorld(async () => {
      const known = route.endpoint.auth === 'none' ? null : await bank.authenticate(authorization);
      const wallet = known === null ? namedWallet(text) : known.ok ? known.value : null;
      if (known !== null) caller.wallet = wallet;
      const { nowMs } = bank.env();
      return faults.meet({ kind: 'api', name: route.id, wallets: wallet === null ? [] : [wallet], nowMs });
    });
    caller.strikes = plan.strikes;
    caller.instead = await undergo(plan.before, pass);
    if (caller.instead !== null) return NOTHING;
    const cause = { requestId: caller.requestId, trouble: plan.trouble };
    const result = await inWorld(() => this.#enter(route, arrival, { text, cause }));
    caller.instead = await undergo(plan.after, pass);
    return result;
  }

  #enter(
    route: Route,
    { request, params, caller, authorization }: Arrival,
    { text, cause }: { text: Result<string> | null; cause: Cause },
  ): Result<unknown> | Promise<Result<unknown>> {
    const wallet = route.endpoint.auth === 'none' ? ANYBODY : this.#options.bank.authenticate(authorization);
    const proceed = (known: Result<string>) => {
      if (!known.ok) return known;
      caller.wallet = route.endpoint.auth === 'bearer' ? known.value : null;
      return this.#carryOut(route, { request, params, text, wallet: known.value, caller, cause });
    };
    return wallet instanceof Promise ? wallet.then(proceed) : proceed(wallet);
  }

  // In the order of precedence, the token being judged: path, body, then the operation's own checks.
  #carryOut(
    { id, endpoint, handler }: Route,
    { request, params, text, wallet, caller, cause }: Arrived,
  ): Result<unknown> | Promise<Result<unknown>> {
    const { bank } = this.#options;
    const path = PATH_CHECKS[id]?.(bank, wallet, params) ?? NOTHING;
    if (!path.ok) return path;
    const body = text === null ? NOTHING : parseBody(endpoint.body, text);
    if (!body.ok) return body;
    const query = endpoint.query === undefined ? NOTHING : parseQuery(endpoint.query, request.url);
    if (!query.ok) return query;
    const origin = id === 'onboard' ? new URL(request.url).origin + this.#options.mount : '';
    const isLogged =
      endpoint.auth === 'bearer' && (text === null || (text.ok && text.value.length <= KEPT_INPUT));
    if (isLogged) caller.input = body.value ?? (request.url.includes('?') ? (query.value ?? null) : null);
    const call = { wallet, params, query: query.value, body: body.value, origin, cause } as Call<EndpointId>;
    const repeatable = endpoint.method === 'POST' && endpoint.auth === 'bearer';
    const key = repeatable ? request.headers.get('idempotency-key') : null;
    if (key === null) return handler(call);
    if (key === '' || key.length > MAX_KEY_LENGTH) {
      const message = `must have 1 to ${MAX_KEY_LENGTH} characters`;
      return invalid('header', [{ path: ['Idempotency-Key'], message }]);
    }
    const outcomeNow = (outflow: number) => bank.payouts.paymentNow(outflow);
    const first = { wallet, key, operation: id, input: { params, body: call.body }, outcomeNow };
    return bank.idempotency.once(first, bank.env().nowMs, async () => handler(call));
  }
}
