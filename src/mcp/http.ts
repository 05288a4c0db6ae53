import { randomUUID } from 'node:crypto';
import {
  type McpHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import { readBody } from '../core/request-body.js';
import { optionsInUrl } from './connection-options.js';
import { EventFeed } from './event-feed.js';
import { type WorldHere, backendHere } from './in-process.js';
import { type Connection, McpService } from './mcp-service.js';
import type { LoggedEvent } from './resources.js';

/** Bounds on the sessions of clients that speak the protocol's versions with sessions. */
export interface SessionLimits {
  readonly mcpSessions: number;
  readonly mcpIdleMs: number;
  readonly controlBodyBytes: number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer;
  /** The query of the URL that opened it. */
  readonly search: string;
  open: number;
  usedMs: number;
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** A server that announces the changes of the resources that its client subscribes to; call `close` with the connection. */
export function subscribable(
  service: McpService,
  feed: EventFeed,
  connection: Connection,
): {
  readonly server: McpServer;
  readonly notify: (uri: string) => void;
  readonly close: () => void;
} {
  const uris = new Set<string>();
  let stop: (() => void) | null = null;
  const close = () => {
    stop?.();
    stop = null;
  };
  const notify = (uri: string) => {
    // A client that has left misses nothing.
    server.server.sendResourceUpdated({ uri }).catch(() => undefined);
  };
  const changed = (event: LoggedEvent) => service.changedBy(connection, event).filter((uri) => uris.has(uri));
  const server: McpServer = service.createServer(connection, (uri, isOn) => {
    if (isOn) uris.add(uri);
    else uris.delete(uri);
    if (uris.size === 0) close();
    else stop ??= feed.listen(changed, notify);
  });
  return { server, notify, close };
}

export class McpHttp {
  readonly #service: McpService;
  readonly #limits: SessionLimits;
  readonly #feed: EventFeed;
  readonly #sessions = new Map<string, Session>();
  readonly #modern: McpHttpHandler;

  constructor(service: McpService, limits: SessionLimits) {
    this.#service = service;
    this.#limits = limits;
    this.#feed = new EventFeed(service.backend);
    this.#modern = createMcpHandler(
      async ({ requestInfo }) => this.#service.createServer(await this.#connection(requestInfo?.url ?? '')),
      {
        legacy: 'reject',
        maxRequestBodySize: limits.controlBodyBytes,
        maxSubscriptions: limits.mcpSessions,
        bus: {
          publish: () => undefined,
          subscribe: (listener) =>
            this.#feed.listen(
              (event) => this.#service.changedForAny(event),
              (uri) => listener({ kind: 'resource_updated', uri }),
            ),
        },
      },
    );
  }

  async answer(request: Request): Promise<Response> {
    const response = await this.#answered(request);
    // The SDK's streams say keep-alive, also to a client that has asked to close: it would wait until the connection is idle for too long.
    response.headers.delete('connection');
    return response;
  }

  async #answered(request: Request): Promise<Response> {
    this.#endIdle();
    let connection: Connection;
    try {
      connection = await this.#connection(request.url);
    } catch (error) {
      if (error instanceof RangeError) return refused(400, -32_602, error.message);
      throw error;
    }
    const whole = request.method === 'POST' ? await this.#withWholeBody(request) : request;
    if (whole instanceof Response) return whole;
    const maxRequestBodySize = this.#limits.controlBodyBytes;
    if (!(await isLegacyRequest(whole, undefined, { maxRequestBodySize }))) return this.#modern.fetch(whole);
    return this.#inSession(whole, connection);
  }

  /** The request with its body in one piece, since the SDK copies the rest of a body for each chunk; or the refusal of the body. */
  async #withWholeBody(request: Request): Promise<Request | Response> {
    const maxBytes = this.#limits.controlBodyBytes;
    const body = await readBody(request, maxBytes);
    switch (body.kind) {
      case 'read': {
        const { url, method, headers, signal } = request;
        return new Request(url, { method, headers, signal, body: Buffer.from(body.bytes) });
      }
      case 'too_large':
        return refused(413, -32_000, `Payload too large: the body is larger than ${maxBytes} bytes.`);
      case 'busy':
        return refused(503, -32_000, 'The server is receiving too much data at once. Try again later.');
      case 'broken_off':
        return refused(400, -32_700, 'The body ended before it was complete.');
    }
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
    this.#feed.close();
  }

  async #connection(url: string): Promise<Connection> {
    const { wallet, options } = optionsInUrl(url);
    return { session: await this.#service.sessionAt(wallet), options };
  }

  async #inSession(request: Request, connection: Connection): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const { search } = new URL(request.url);
    if (id === null) {
      if (!this.#makeRoom())
        return refused(
          429,
          -32_000,
          `All ${this.#limits.mcpSessions} sessions are in use (limit mcpSessions).`,
        );
      return (await this.#open(connection, search)).handleRequest(request);
    }
    const session = this.#sessions.get(id);
    if (session === undefined)
      return refused(404, -32_001, 'This session does not exist: it was ended, or was idle for too long.');
    if (session.search !== search)
      return refused(400, -32_602, 'The options of a session cannot change: use the URL that opened it.');
    session.open += 1;
    session.usedMs = performance.now();
    const over = () => {
      session.open -= 1;
      session.usedMs = performance.now();
    };
    try {
      const response = await session.transport.handleRequest(request);
      const { method, signal } = request;
      // A GET is a stream that lives until its client leaves.
      if (method === 'GET' && response.ok && !signal.aborted)
        signal.addEventListener('abort', over, { once: true });
      else over();
      return response;
    } catch (error) {
      over();
      throw error;
    }
  }

  async #open(connection: Connection, search: string): Promise<WebStandardStreamableHTTPServerTransport> {
    const { server, close } = subscribable(this.#service, this.#feed, connection);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: this.#limits.controlBodyBytes,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, server, search, open: 0, usedMs: performance.now() });
      },
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    server.server.onclose = () => {
      close();
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return transport;
  }

  /** Whether a session may be opened; ends the session that was idle longest when there are too many. */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#limits.mcpSessions) return true;
    const idle = [...this.#sessions.values()].filter(({ open }) => open === 0);
    const [oldest] = idle.toSorted((a, b) => a.usedMs - b.usedMs);
    if (oldest === undefined) return false;
    this.#end(oldest);
    return true;
  }

  #end({ server, transport }: Session): void {
    // At once, so that its place is free.
    if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    void server.close();
  }

  #endIdle(): void {
    const untilMs = performance.now() - this.#limits.mcpIdleMs;
    for (const session of this.#sessions.values())
      if (session.open === 0 && session.usedMs < untilMs) this.#end(session);
  }
}

/** MCP over HTTP for a world in this process. */
export function mcpHttp(options: {
  readonly world: WorldHere;
  readonly mount: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly limits: SessionLimits;
  readonly onBug: ((error: unknown, where: string) => void) | undefined;
}): McpHttp {
  const { world, mount, limits, onBug } = options;
  const backend = backendHere(world, options.fetch, mount);
  return new McpHttp(new McpService(backend, { onBug }), limits);
}
