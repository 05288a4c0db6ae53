import { readBody, textOf } from '../../core/request-body.js';
import { corsHeaders } from '../headers.js';
import { type ListensOn, isOwnOrigin } from '../origin-guard.js';
import { LostAnswer } from '../pipeline/pipeline.js';
import { type Incoming, type ListenOptions, type RunningServer, listen, refuseUpgrade } from '../server.js';
import type { RpcAnswer } from './dispatcher.js';
import type { Rpc } from './rpc.js';
import { MAX_BODY_BYTES } from './limits.js';
import type { WebSocketUpgrader } from './web-socket.js';

const FREE_PORT_TRIES = 50;

export interface RunningRpc {
  /** For HTTP, and for WebSocket clients that use one port for both. */
  readonly url: string;
  readonly port: number;
  /** For WebSocket clients that expect them one port higher, as @solana/web3.js does. */
  readonly webSocketUrl: string;
  /** Stops listening and closes open connections. */
  close(): Promise<void>;
}

/** The RPC at a path, loaded on first use, so that startup does not wait for it. Null when there is none. */
export type RpcAt = (path: string) => Promise<Rpc> | null;

/** Where the RPC listens, and the origins of pages that may use it in addition to this machine's. */
type RpcListensOn = ListensOn & { readonly port: number; readonly cors: ReadonlySet<string> };

const NO_WORLD =
  'No world is served at this path: it was never created, or was dropped. Create a fork with sim fork.';

async function openUpgrader(): Promise<WebSocketUpgrader> {
  const { createWebSocketUpgrader } = await import('./web-socket.js');
  return createWebSocketUpgrader();
}

function text(status: number, message: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(message, {
    status,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  });
}

function rendered(answer: RpcAnswer, headers: Readonly<Record<string, string>>): Response {
  if (answer.isLost) throw new LostAnswer();
  const { status, retryAfterSeconds } = answer;
  return new Response(answer.text, {
    status,
    headers: {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': answer.requestId,
      ...(retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  });
}

/** Responds to a request of a page or program that may use the RPC. */
async function handle(
  rpcAt: RpcAt,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { method } = request;
  const path = new URL(request.url).pathname;
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers });
  if (method === 'GET' && path === '/health') return text(200, 'ok', headers);
  if (method !== 'POST') {
    const what = 'This is a Solana JSON-RPC server: POST JSON-RPC 2.0, GET /health, or open a WebSocket.';
    return text(405, what, headers);
  }
  if (request.headers.get('content-type')?.startsWith('application/json') !== true) {
    const what = 'Supplied content type is not allowed. Content-Type: application/json is required';
    return text(415, what, headers);
  }
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.kind === 'broken_off') throw new LostAnswer();
  if (body.kind !== 'read')
    return text(413, `The body is too large: at most ${MAX_BODY_BYTES} bytes.`, headers);
  const rpc = rpcAt(path);
  if (rpc === null) return text(404, NO_WORLD, headers);
  return rendered(await (await rpc).answerHttp(textOf(body.bytes)), headers);
}

function isPortTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

/** Listens on a port and the next one; with port 0, on a free pair. */
async function listenOnBoth(
  port: number,
  open: (port: number) => Promise<RunningServer>,
): Promise<readonly [RunningServer, RunningServer]> {
  for (let tries = 1; ; tries += 1) {
    const first = await open(port);
    try {
      if (first.port < 65_535) return [first, await open(first.port + 1)];
    } catch (error) {
      if (port !== 0 || !isPortTaken(error) || tries >= FREE_PORT_TRIES) {
        await first.close();
        throw error;
      }
    }
    await first.close();
    if (port !== 0)
      throw new RangeError('the RPC needs a port below 65535, since WebSockets use the next one');
  }
}

/**
 * Serves JSON-RPC over HTTP and PubSub over WebSockets on a port and the next one; port 0 selects a free
 * pair. Rejects with Node's error, such as EADDRINUSE.
 */
export async function listenRpc(rpcAt: RpcAt, options: RpcListensOn): Promise<RunningRpc> {
  const { host, cors, allowHosts } = options;
  const isAdmitted = (origin: string | undefined) => isOwnOrigin(origin) || cors.has(origin ?? '');
  const answer = (request: Request, { headers }: Incoming): Response | Promise<Response> => {
    const { origin, 'access-control-request-headers': requested } = headers;
    if (isAdmitted(origin))
      return handle(rpcAt, request, origin === undefined ? {} : corsHeaders(origin, requested));
    const why = `A page of ${origin} may not use this server; only pages of this machine and origins of --cors may.`;
    return text(403, why, {});
  };
  let upgrader: Promise<WebSocketUpgrader> | null = null;
  const upgrade: ListenOptions['upgrade'] = (wanted) => {
    const { request, socket } = wanted;
    if (!isAdmitted(request.headers.origin)) return refuseUpgrade(socket, 403);
    const rpc = rpcAt(request.url ?? '/');
    if (rpc === null) return refuseUpgrade(socket, 404);
    // Loaded on the first connection: most runs need none.
    upgrader ??= openUpgrader();
    Promise.all([upgrader, rpc])
      .then(([open, loaded]) => open.enter(loaded, wanted))
      .catch(() => socket.destroy());
  };
  const refused: ListenOptions['refused'] = (_request, { status, message }) => text(status, message, {});
  const servers = await listenOnBoth(options.port, (port) =>
    listen(answer, { host, allowHosts, port, refused, upgrade }),
  );
  const [{ origin, port }, next] = servers;
  return {
    url: origin,
    port,
    webSocketUrl: next.origin.replace(/^http/, 'ws'),
    close: async () => {
      (await upgrader)?.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
