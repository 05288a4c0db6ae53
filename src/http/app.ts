import { type Context, Hono } from 'hono';
import { type Bank, refusalOf } from '../bank/bank.js';
import { BASE_PATH, type Endpoint, type EndpointId, endpoints } from '../contract/endpoints.js';
import type { Refusal } from '../domain/errors.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Variants } from '../domain/variants.js';
import { jsonAnswer, refusalBody, statusOf } from './answers.js';
import { parseJson, readText } from './body.js';
import { type ServiceFacts, agentCard, docs, onboarding } from './discovery.js';
import { type Call, type Handler, PATH_CHECKS, handlers } from './handlers.js';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly wallet: string | null;
  readonly status: number;
  /** The error code; null for a success. */
  readonly code: string | null;
  readonly ms: number;
}

export interface AppOptions {
  readonly bank: Bank;
  readonly variants: Variants;
  readonly facts: ServiceFacts;
  /** Runs a request together with others, in a world whose due events have run. */
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  readonly onAnswer?: ((answered: AnsweredRequest) => void) | undefined;
  /** Told of exceptions: each is a bug. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

const MAX_KEY_LENGTH = 255;

/** Who a request turned out to come from; for the log. */
interface Caller {
  wallet: string | null;
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
    const table = endpoints(options.variants);
    const byId = handlers(options.bank, (origin) => onboarding(origin, options.facts));
    for (const [id, endpoint] of Object.entries(table) as [EndpointId, Endpoint][]) {
      const path = BASE_PATH + endpoint.path.replace('{id}', ':id');
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
      this.hono.get(path, (context) =>
        this.#answer(context.req.raw, async (request) => ok(await make(new URL(request.url).origin))),
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
    const { newRequestId, onAnswer, onBug, variants } = this.#options;
    const startedMs = onAnswer === undefined ? 0 : performance.now();
    const requestId = newRequestId();
    const caller: Caller = { wallet: null };
    let result: Result<unknown>;
    try {
      result = await run(request, caller);
    } catch (error) {
      const known = refusalOf(error);
      if (known === null) onBug(error, requestId);
      result = known === null ? refuse('internal_error') : { ok: false, refusal: known };
    }
    const refusal: Refusal | null = result.ok ? null : result.refusal;
    const status = refusal === null ? 200 : statusOf(refusal, variants.errorStatus);
    const body = result.ok ? result.value : refusalBody(result.refusal, requestId);
    onAnswer?.({
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
      wallet: caller.wallet,
      status,
      code: refusal?.code ?? null,
      ms: performance.now() - startedMs,
    });
    return jsonAnswer(body, status, requestId);
  }

  // The body is read before the world is entered, so that a slow sender holds nothing up; it is judged in its turn.
  async #run(route: Route, { request, params, caller, authorization }: Arrival): Promise<Result<unknown>> {
    const text = route.endpoint.body === undefined ? null : await readText(request);
    return this.#options.inWorld(() => {
      const wallet =
        route.endpoint.auth === 'none' ? ANYBODY : this.#options.bank.authenticate(authorization);
      const proceed = (known: Result<string>) => {
        if (!known.ok) return known;
        caller.wallet = route.endpoint.auth === 'bearer' ? known.value : null;
        return this.#carryOut(route, { request, params, text, wallet: known.value });
      };
      return wallet instanceof Promise ? wallet.then(proceed) : proceed(wallet);
    });
  }

  // In the order of precedence, the token being judged: path, body, then the operation's own checks.
  #carryOut(
    { id, endpoint, handler }: Route,
    { request, params, text, wallet }: Arrived,
  ): Result<unknown> | Promise<Result<unknown>> {
    const { bank } = this.#options;
    const path = PATH_CHECKS[id]?.(bank, wallet, params) ?? NOTHING;
    if (!path.ok) return path;
    const body = text === null ? NOTHING : parseBody(endpoint.body, text);
    if (!body.ok) return body;
    const query = endpoint.query === undefined ? NOTHING : parseQuery(endpoint.query, request.url);
    if (!query.ok) return query;
    const origin = id === 'onboard' ? new URL(request.url).origin : '';
    const call = { wallet, params, query: query.value, body: body.value, origin } as Call<EndpointId>;
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
