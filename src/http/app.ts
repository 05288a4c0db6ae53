import { Hono } from 'hono';
import { type Bank, isStorageUnavailable } from '../bank/bank.js';
import { BASE_PATH, type Endpoint, type EndpointId, endpoints } from '../contract/endpoints.js';
import type { Refusal } from '../domain/errors.js';
import { type Result, ok, refuse } from '../domain/result.js';
import type { Variants } from '../domain/variants.js';
import { jsonAnswer, refusalBody, statusOf } from './answers.js';
import { readJson } from './body.js';
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
  readonly inWorld: <T>(work: () => Promise<T>) => Promise<T>;
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
      const handler = byId[id] as Handler<EndpointId>;
      this.hono.on(endpoint.method, path, (context) =>
        this.#answer(context.req.raw, (request, caller) =>
          this.#run({ id, endpoint, handler }, { request, params: context.req.param(), caller }),
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
      if (isStorageUnavailable(error)) result = refuse('storage_unavailable');
      else {
        onBug(error, requestId);
        result = refuse('internal_error');
      }
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

  // In the order of precedence: token, path, body, then the operation's own checks.
  async #run(
    { id, endpoint, handler }: { id: EndpointId; endpoint: Endpoint; handler: Handler<EndpointId> },
    { request, params, caller }: { request: Request; params: Record<string, string>; caller: Caller },
  ): Promise<Result<unknown>> {
    const { bank, inWorld } = this.#options;
    return inWorld(async () => {
      const wallet = await this.#caller(endpoint, request);
      if (!wallet.ok) return wallet;
      caller.wallet = endpoint.auth === 'bearer' ? wallet.value : null;
      const path = PATH_CHECKS[id]?.(bank, wallet.value, params) ?? ok(undefined);
      if (!path.ok) return path;
      const input = await this.#input(endpoint, request);
      if (!input.ok) return input;
      const url = input.value.query === undefined && id !== 'onboard' ? '' : new URL(request.url).origin;
      const call = { wallet: wallet.value, params, ...input.value, origin: url } as Call<EndpointId>;
      const key =
        endpoint.method === 'POST' && endpoint.auth === 'bearer'
          ? request.headers.get('idempotency-key')
          : null;
      if (key === null) return handler(call);
      if (key === '' || key.length > MAX_KEY_LENGTH) {
        return invalid('header', [
          { path: ['Idempotency-Key'], message: `must have 1 to ${MAX_KEY_LENGTH} characters` },
        ]);
      }
      const repeatable = { wallet: wallet.value, key, operation: id, input: { params, body: call.body } };
      return bank.idempotency.once(repeatable, bank.env().nowMs, async () => handler(call));
    });
  }

  async #caller(endpoint: Endpoint, request: Request): Promise<Result<string>> {
    if (endpoint.auth === 'none') return ok('');
    return this.#options.bank.authenticate(request.headers.get('authorization') ?? undefined);
  }

  async #input(endpoint: Endpoint, request: Request): Promise<Result<{ query: unknown; body: unknown }>> {
    const body = endpoint.body === undefined ? ok(undefined) : await this.#body(endpoint.body, request);
    if (!body.ok) return body;
    if (endpoint.query === undefined) return ok({ query: undefined, body: body.value });
    const given = Object.fromEntries(new URL(request.url).searchParams);
    const query = parsePart('query', endpoint.query, given);
    return query.ok ? ok({ query: query.value, body: body.value }) : query;
  }

  async #body(schema: Endpoint['body'], request: Request): Promise<Result<unknown>> {
    const json = await readJson(request);
    return json.ok ? parsePart('body', schema, json.value) : json;
  }
}
