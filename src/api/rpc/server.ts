import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
  createServer,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { readIncoming, textOf } from '../../core/request-body.js';
import { KEEP_ALIVE_MS, corsHeaders } from '../headers.js';
import { type ListensOn, hostGuard, isOwnOrigin } from '../origin-guard.js';
import { answerUnparsed } from '../unparsed.js';
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

/** The RPC at a path, loaded on first use so that startup need not wait for it. Null when there is none. */
export type RpcAt = (path: string) => Promise<Rpc> | null;

async function openUpgrader(): Promise<WebSocketUpgrader> {
  const { createWebSocketUpgrader } = await import('./web-socket.js');
  return createWebSocketUpgrader();
}

function respond(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': length });
  response.end(text);
}

/** Where the RPC listens, and origins of pages that may use it besides those of this machine. */
type RpcListensOn = ListensOn & { readonly port: number; readonly cors: ReadonlySet<string> };

/** Why a request is not for this server, or from a page without access; null when it is admitted. */
type Guard = (request: IncomingMessage) => { readonly status: number; readonly message: string } | null;

function guardOf(options: RpcListensOn): Guard {
  const hostObjection = hostGuard(options);
  return ({ headers: { host, origin } }) => {
    const foreign = hostObjection(host);
    if (foreign !== null || isOwnOrigin(origin) || options.cors.has(origin ?? '')) return foreign;
    const message = `A page of ${origin ?? ''} may not use this server; only pages of this machine may, and those of --cors.`;
    return { status: 403, message };
  };
}

function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  const { origin, 'access-control-request-headers': requested } = headers;
  if (origin === undefined) return;
  for (const [name, value] of Object.entries(corsHeaders(origin, requested))) response.setHeader(name, value);
}

async function handle(
  rpcAt: RpcAt,
  objection: Guard,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const no = objection(request);
  if (no !== null) return respond(response, no.status, no.message);
  allowOrigin(request, response);
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  if (request.method === 'GET' && request.url === '/health') return respond(response, 200, 'ok');
  if (request.method !== 'POST') {
    return respond(
      response,
      405,
      'This is a Solana JSON-RPC server: POST JSON-RPC 2.0, GET /health, or open a WebSocket.',
    );
  }
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) {
    return respond(
      response,
      415,
      'Supplied content type is not allowed. Content-Type: application/json is required',
    );
  }
  const body = await readIncoming(request, MAX_BODY_BYTES);
  if (body.kind === 'broken_off') return void response.destroy();
  if (body.kind !== 'read') {
    response.setHeader('connection', 'close');
    return respond(response, 413, `The body is too large: at most ${MAX_BODY_BYTES} bytes.`);
  }
  const rpc = rpcAt(request.url ?? '/');
  if (rpc === null) return respond(response, 404, NO_WORLD);
  const answer = await (await rpc).answerHttp(textOf(body.bytes));
  if (answer.isLost) return void request.socket.destroy();
  response.setHeader('x-request-id', answer.requestId);
  if (answer.retryAfterSeconds !== null) response.setHeader('retry-after', answer.retryAfterSeconds);
  respond(response, answer.status, answer.text, 'application/json');
}

/** Refuses an upgrade and closes its connection, discarding all further input. */
function refuseUpgrade(socket: Socket, status: number): void {
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n\r\n`);
  socket.destroySoon();
}

const NO_WORLD = 'There is no world at this path: it was never made, or was dropped. Make one with sim fork.';

function listenAt(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function isPortTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

async function listenOnBoth(servers: readonly [Server, Server], port: number, host: string): Promise<number> {
  const [first, second] = servers;
  for (let tries = 1; ; tries += 1) {
    const taken = await listenAt(first, port, host);
    try {
      if (taken < 65_535) {
        await listenAt(second, taken + 1, host);
        return taken;
      }
    } catch (error) {
      if (port !== 0 || !isPortTaken(error) || tries >= FREE_PORT_TRIES) {
        await stop(first);
        throw error;
      }
    }
    await stop(first);
    if (port !== 0)
      throw new RangeError('the RPC needs a port below 65535, since WebSockets use the next one');
  }
}

/**
 * Serves JSON-RPC over HTTP and PubSub over WebSockets on a port and the next one; port 0 selects a free
 * pair. Rejects with Node's error, such as EADDRINUSE.
 */
export async function listenRpc(rpcAt: RpcAt, options: RpcListensOn): Promise<RunningRpc> {
  const { host } = options;
  const objection = guardOf(options);
  let upgrader: Promise<WebSocketUpgrader> | null = null;
  const server = (): Server => {
    const made = createServer(
      { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS },
      (request, response) => {
        handle(rpcAt, objection, request, response).catch(() => response.destroy());
      },
    );
    answerUnparsed(made, ({ status, message }) => new Response(message, { status }));
    made.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const no = objection(request);
      if (no !== null) {
        refuseUpgrade(socket, no.status);
        return;
      }
      const rpc = rpcAt(request.url ?? '/');
      if (rpc === null) {
        refuseUpgrade(socket, 404);
        return;
      }
      // Loaded on the first connection: most runs need none.
      upgrader ??= openUpgrader();
      Promise.all([upgrader, rpc])
        .then(([open, loaded]) => open.enter(loaded, { request, socket, head }))
        .catch(() => socket.destroy());
    });
    return made;
  };
  const servers = [server(), server()] as const;
  const port = await listenOnBoth(servers, options.port, host);
  const name = host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host;
  return {
    url: `http://${name}:${port}`,
    port,
    webSocketUrl: `ws://${name}:${port + 1}`,
    close: async () => {
      (await upgrader)?.close();
      await Promise.all(servers.map(stop));
    },
  };
}
