import { type Context, Hono } from 'hono';
import { type Bank, refusalOf } from '../bank/bank.js';
import { BASE_PATH, type Endpoint, type EndpointId, endpoints } from '../contract/endpoints.js';
import type { Cause } from '../domain/cause.js';
import { sentenceOf } from '../domain/errors.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Variants } from '../domain/variants.js';
import { type FaultEffect, type Faults, undergo } from '../faults/faults.js';
import { type AnsweredRequest, type RequestUnderWay, arrived } from './answered-request.js';
import { LostAnswer, jsonAnswer, refusalBody, statusOf } from './answers.js';
import { parseJson, readText } from './body.js';
import { type ServiceFacts, agentCard, docs, onboarding } from './discovery.js';
import { type Call, type Handler, PATH_CHECKS, handlers } from './handlers.js';

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

/** What a fault puts in the place of an answer. */
class Replaced {
  constructor(readonly effect: FaultEffect) {}
}

function replaced(effect: FaultEffect, course: RequestUnderWay): Response {
  if (effect.kind !== 'answer') return new LostAnswer();
  const { status, code, message, retryAfterSeconds } = effect;
  const details = { faults: course.faults.map(({ fault }) => fault) };
  Object.assign(course, { status, code, message, details });
  const { requestId } = course;
  const more = retryAfterSeconds === null ? undefined : { 'retry-after': String(retryAfterSeconds) };
  return jsonAnswer({ error: message, code, details, requestId }, status, requestId, more);
}

interface Route {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly handler: Handler<EndpointId>;
  /** The path of every request; null when it holds an id. */
  readonly path: string | null;
}

interface Arrival {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly course: RequestUnderWay;
  readonly authorization: string | undefined;
}

interface Arrived {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** The body's text, or why it could not be read; null for an endpoint without a body. */
  readonly text: Result<string> | null;
  readonly wallet: string;
  readonly course: RequestUnderWay;
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
      const route = {
        id,
        endpoint,
        handler: byId[id] as Handler<EndpointId>,
        path: endpoint.path.includes('{') ? null : path,
      };
      this.hono.on(endpoint.method, path, (context) =>
        this.#answer(context.req.raw, route.path, (request, course) =>
          this.#run(route, {
            request,
            params: context.req.param(),
            course,
            authorization: authorizationOf(context),
          }),
        ),
      );
    }
    const page = (path: string, make: (origin: string) => object | Promise<object>) =>
      this.hono.get(mount + path, (context) =>
        this.#answer(context.req.raw, null, async (request) =>
          ok(await make(new URL(request.url).origin + mount)),
        ),
      );
    page('/.well-known/agent.json', (origin) => agentCard(origin, options.facts, table));
    page('/.well-known/agents.json', (origin) => ({ agents: [agentCard(origin, options.facts, table)] }));
    page(`${BASE_PATH}/docs`, (origin) => docs(origin, options.facts, table));
    page(`${BASE_PATH}/openapi.json`, async (origin) => {
      const { openApiDocument } = await import('../contract/openapi.js');
      return openApiDocument(table, origin);
    });
    this.hono.notFound((context) =>
      this.#answer(context.req.raw, null, async (request) => {
        const { pathname } = new URL(request.url);
        const hint = `There is no ${request.method} ${pathname}; see ${BASE_PATH}/docs for all paths.`;
        return refuse('not_found', { method: request.method, path: pathname }, hint);
      }),
    );
  }

  async #answer(
    request: Request,
    path: string | null,
    run: (request: Request, course: RequestUnderWay) => Promise<Result<unknown> | Replaced>,
  ): Promise<Response> {
    const { newRequestId, onBug, onAnswer } = this.#options;
    const startedMs = performance.now();
    const { method } = request;
    const course = arrived({ requestId: newRequestId(), method, path: path ?? pathOf(request.url) });
    let result: Result<unknown> | Replaced;
    try {
      result = await run(request, course);
    } catch (error) {
      const known = refusalOf(error);
      if (known === null) onBug(error, course.requestId);
      result = known === null ? refuse('internal_error') : { ok: false, refusal: known };
    }
    const answer = result instanceof Replaced ? replaced(result.effect, course) : this.#told(result, course);
    course.ms = performance.now() - startedMs;
    onAnswer(course);
    return answer;
  }

  #told(result: Result<unknown>, course: RequestUnderWay): Response {
    if (result.ok) {
      course.status = 200;
      return jsonAnswer(result.value, 200, course.requestId);
    }
    const { refusal } = result;
    course.status = statusOf(refusal, this.#options.variants.errorStatus);
    course.code = refusal.code;
    course.message = sentenceOf(refusal);
    course.details = refusal.details ?? null;
    return jsonAnswer(refusalBody(refusal, course.requestId), course.status, course.requestId);
  }

  // The body is read before the world is entered, so that a slow sender holds nothing up; it is judged in its turn.
  async #run(route: Route, arrival: Arrival): Promise<Result<unknown> | Replaced> {
    const { endpoint, id } = route;
    const { course, request } = arrival;
    course.operation = id;
    const text = endpoint.body === undefined ? null : await readText(request);
    const { faults, inWorld } = this.#options;
    if (!faults.isEmpty) return this.#troubled(route, arrival, text);
    const cause = { requestId: course.requestId, trouble: null };
    return inWorld(() => this.#enter(route, arrival, { text, cause }));
  }

  /** The same while there are faults: they may strike before and after, and on the way to the chain. */
  async #troubled(
    route: Route,
    arrival: Arrival,
    text: Result<string> | null,
  ): Promise<Result<unknown> | Replaced> {
    const { faults, inWorld, pass, bank } = this.#options;
    const { course, authorization } = arrival;
    const plan = await inWorld(async () => {
      const known = route.endpoint.auth === 'none' ? null : await bank.authenticate(authorization);
      const wallet = known === null ? namedWallet(text) : known.ok ? known.value : null;
      if (known !== null) course.wallet = wallet;
      const { nowMs } = bank.env();
      return faults.meet({ kind: 'api', name: route.id, wallets: wallet === null ? [] : [wallet], nowMs });
    });
    course.faults = plan.told;
    const before = await undergo(plan.before, pass);
    if (before !== null) return new Replaced(before);
    const cause = { requestId: course.requestId, trouble: plan.trouble };
    const result = await inWorld(() => this.#enter(route, arrival, { text, cause }));
    const after = await undergo(plan.after, pass);
    return after === null ? result : new Replaced(after);
  }

  #enter(
    route: Route,
    { request, params, course, authorization }: Arrival,
    { text, cause }: { text: Result<string> | null; cause: Cause },
  ): Result<unknown> | Promise<Result<unknown>> {
    const wallet = route.endpoint.auth === 'none' ? ANYBODY : this.#options.bank.authenticate(authorization);
    const proceed = (known: Result<string>) => {
      if (!known.ok) return known;
      course.wallet = route.endpoint.auth === 'bearer' ? known.value : null;
      return this.#carryOut(route, { request, params, text, wallet: known.value, course, cause });
    };
    return wallet instanceof Promise ? wallet.then(proceed) : proceed(wallet);
  }

  // In the order of precedence, the token being judged: path, body, then the operation's own checks.
  #carryOut(
    { id, endpoint, handler }: Route,
    { request, params, text, wallet, course, cause }: Arrived,
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
    if (isLogged) course.input = body.value ?? (request.url.includes('?') ? (query.value ?? null) : null);
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
