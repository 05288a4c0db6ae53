import type { IncomingHttpHeaders } from 'node:http';
import { type Context, Hono } from 'hono';
import { BASE_PATH, type Endpoint, type EndpointId } from '../../contract/endpoints.js';
import { isTokenRefused } from '../../core/domain/errors.js';
import { type Result, ok, refuse } from '../../core/domain/result.js';
import { keptText, shortText } from '../../core/domain/short-text.js';
import { LostAnswer } from '../pipeline/pipeline.js';
import { bearerChallenge, wantsPage } from '../headers.js';
import { textAnswer } from './answers.js';
import { parseBody, readText } from './body.js';
import { agentCard, docs, places, reachable } from './discovery.js';
import type { ApiRequest, ApiResponse } from '../pipeline/api-request.js';
import type { Service } from './service.js';
import { routeOf } from '../../contract/match-path.js';
import { queryOf } from '../../contract/parse.js';

export interface AppOptions {
  readonly service: Service;
  /** The URL of this world's RPC; null when it is not served. */
  readonly rpcUrl: () => string | null;
  /** The prefix of every path; empty for a server's main world. */
  readonly mount: string;
  readonly hasInspector: boolean;
  /** The time of the world, which the Date header of responses shows. */
  readonly nowMs: () => number;
}

/** Makes the content of a page for an origin, which includes the prefix of every path. */
type Make<T> = (origin: string) => T | Promise<T>;

/** The path of an absolute URL, without its query, as a copy: logs outlive the URL, and a slice would keep it in memory. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.indexOf('?', start);
  return start < 0 ? '/' : keptText(url.slice(start, end < 0 ? undefined : end), Number.POSITIVE_INFINITY);
}

// Node's server has parsed the headers already; building a Headers object takes longer than reading an account.
function headerOf(context: Context, name: 'authorization' | 'idempotency-key'): string | undefined {
  const { incoming } = (context.env ?? {}) as { incoming?: { headers: IncomingHttpHeaders } };
  if (incoming === undefined) return context.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** A request over HTTP. `path` is null for a path that contains an id. */
function requestOf(
  context: Context,
  path: string | null,
  { text, mount }: { readonly text: Result<string>; readonly mount: string },
): ApiRequest {
  const { method, url } = context.req.raw;
  return {
    method,
    path: path ?? pathOf(url),
    authorization: headerOf(context, 'authorization'),
    params: context.req.param(),
    text: () => (text.ok && text.value !== '' ? text.value : null),
    size: text.ok ? text.value.length : Number.POSITIVE_INFINITY,
    hasQuery: url.includes('?'),
    body: () => (text.ok ? parseBody(text.value) : text),
    query: () => queryOf(new URL(url).searchParams),
    key: () => headerOf(context, 'idempotency-key') ?? null,
    origin: () => new URL(url).origin + mount,
  };
}

const NO_TEXT = ok('');

/** The service over HTTP: parses requests, calls the service once, renders the response. */
export class App {
  readonly hono = new Hono();
  readonly #options: AppOptions;
  #dated = { second: Number.NaN, text: '' };

  constructor(options: AppOptions) {
    this.#options = options;
    const { mount, service } = options;
    const { facts, endpoints: table } = service;
    for (const [id, endpoint] of Object.entries(table) as [EndpointId, Endpoint][]) this.#serve(id, endpoint);
    const page = (path: string, make: Make<object>) =>
      this.hono.get(mount + path, (context) => this.#json(context, make));
    const known = (origin: string) => ({ ...facts, rpcUrl: this.#rpcUrl(origin) });
    page('/.well-known/agent.json', (origin) => agentCard(origin, known(origin), table));
    page('/.well-known/agents.json', (origin) => ({ agents: [agentCard(origin, known(origin), table)] }));
    page(`${BASE_PATH}/openapi.json`, async (origin) => {
      const { openApiDocument } = await import('../../contract/openapi.js');
      return openApiDocument(table, origin);
    });
    const docsAt = (origin: string) => docs(origin, { facts: known(origin), limits: service.limits }, table);
    this.hono.get(`${mount}${BASE_PATH}/docs`, (context) =>
      wantsPage(context.req.raw)
        ? this.#html(context, docsAt, async (view) => (await import('./pages.js')).docsPage(view))
        : this.#json(context, docsAt),
    );
    for (const root of mount === '' ? ['/'] : [mount, `${mount}/`])
      this.hono.get(root, (context) => this.#root(context));
    this.hono.notFound((context) => this.#notFound(context));
    this.hono.onError((error) => {
      throw error;
    });
  }

  /** The index page, for browsers; 404 for other clients. */
  #root(context: Context): Promise<Response> {
    if (!wantsPage(context.req.raw)) return this.#notFound(context);
    const placesAt = (origin: string) => places(origin, this.#rpcUrl(origin));
    return this.#html(context, placesAt, async (view) => (await import('./pages.js')).placesPage(view));
  }

  /** The RPC's URL that a client of `origin` can reach. */
  #rpcUrl(origin: string): string | null {
    const url = this.#options.rpcUrl();
    return url === null ? null : reachable(url, origin);
  }

  async #notFound({ req: { raw } }: Context): Promise<Response> {
    const { method, url } = raw;
    const path = shortText(new URL(url).pathname);
    const { mount, hasInspector } = this.#options;
    const isRoot = path === mount || path === `${mount}/`;
    const page = isRoot && hasInspector ? `, and ${mount}/inspector/ in a browser` : '';
    const hint = `There is no ${method} ${path}; see ${BASE_PATH}/docs for all paths${page}.`;
    return this.#rendered(
      await this.#options.service.answer({ method, path: pathOf(url) }, async () =>
        refuse('not_found', { method, path }, hint),
      ),
    );
  }

  // The body is read before entering the world, so that a slow sender blocks nothing; it is validated in its turn.
  #serve(id: EndpointId, endpoint: Endpoint): void {
    const { mount, service } = this.#options;
    const path = mount + BASE_PATH + routeOf(endpoint.path);
    const fixed = endpoint.path.includes('{') ? null : path;
    this.hono.on(endpoint.method, path, async (context) => {
      const text = endpoint.body === undefined ? NO_TEXT : await readText(context.req.raw);
      return this.#rendered(await service.call(id, requestOf(context, fixed, { text, mount })));
    });
  }

  async #json(context: Context, make: Make<object>): Promise<Response> {
    return this.#rendered(await this.#answer(context, make));
  }

  /** Renders JSON as a page. Errors remain JSON. */
  async #html<T>(context: Context, make: Make<T>, render: (view: T) => Promise<string>): Promise<Response> {
    const answer = await this.#answer(context, make);
    if (answer.body?.status !== 200) return this.#rendered(answer);
    const { PAGE_HEADERS } = await import('./pages.js');
    return new Response(await render(answer.body.body as T), {
      headers: { ...PAGE_HEADERS, date: this.#date(), 'x-request-id': answer.requestId },
    });
  }

  /** The text of the Date header, which has seconds: made once for each. */
  #date(): string {
    const second = Math.floor(this.#options.nowMs() / 1_000);
    if (second !== this.#dated.second) this.#dated = { second, text: new Date(second * 1_000).toUTCString() };
    return this.#dated.text;
  }

  #rendered({ requestId, body: answer }: ApiResponse): Response {
    if (answer === null) throw new LostAnswer();
    const { status, body, retryAfterSeconds, json } = answer;
    const more = {
      date: this.#date(),
      ...(retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(status === 401 ? bearerChallenge(isTokenRefused((body as { code?: unknown }).code)) : {}),
    };
    return textAnswer(json ?? JSON.stringify(body), status, requestId, more);
  }

  #answer({ req: { raw } }: Context, make: Make<unknown>): Promise<ApiResponse> {
    const { service, mount } = this.#options;
    const { method, url } = raw;
    const origin = new URL(url).origin + mount;
    return service.answer({ method, path: pathOf(url) }, async () => ok(await make(origin)));
  }
}
