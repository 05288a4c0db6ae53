import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
  createServer,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { KEEP_ALIVE_MS } from './headers.js';
import { type ListensOn, type Problem, hostGuard } from './origin-guard.js';
import { LostAnswer } from './pipeline/pipeline.js';
import { answerUnparsed } from './unparsed.js';

export interface RunningServer {
  /** Scheme, host and port, without a trailing slash. */
  readonly origin: string;
  readonly port: number;
  /** Stops listening and closes open connections. */
  close(): Promise<void>;
}

export type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>;

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
}

/** Where a server listens, and its response to requests that it does not serve. */
export interface ListenOptions extends ListensOn {
  readonly port: number;
  readonly refused: (request: { readonly method: string; readonly path: string }, why: Problem) => Response;
  /** Serves upgrades for this host; when left out, they are ordinary requests. */
  readonly upgrade?: (upgrade: Upgrade) => void;
}

const INVALID_URL: Problem = {
  status: 400,
  code: 'invalid_url',
  message: 'The path of the request is not a valid path of a URL.',
};

const UNMET: Problem = {
  status: 417,
  code: 'expectation_failed',
  message: 'The only supported expectation of a request is 100-continue.',
};

/** Connections that wait to be accepted: Node's 511 are too few for 1,000 clients that connect at once to a busy process. */
const BACKLOG = 4_096;

/** The authority of a request: from an absolute URL, as sent to proxies, otherwise from its Host header. */
function authorityOf({ url = '', headers }: IncomingMessage): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
}

/** Refuses an upgrade and closes its connection, discarding all further input. */
export function refuseUpgrade(socket: Socket, status: number): void {
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n\r\n`);
  socket.destroySoon();
}

async function send(answer: Response, outgoing: ServerResponse): Promise<void> {
  const text = await answer.text();
  outgoing.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'content-length': Buffer.byteLength(text),
  });
  outgoing.end(text);
}

/**
 * Serves `fetch` on a host and port to requests addressed to this server; port 0 selects a free one. Rejects
 * with Node's error, such as EADDRINUSE.
 */
export function listen(
  fetch: (request: Request, incoming: Incoming) => Response | Promise<Response>,
  options: ListenOptions,
): Promise<RunningServer> {
  const { refused, host, port, upgrade } = options;
  const objection = hostGuard(options);
  const serve = getRequestListener(async (request, { incoming }) => {
    try {
      return await fetch(request, incoming);
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
      incoming.socket.destroy();
      return RESPONSE_ALREADY_SENT;
    }
  });
  return new Promise((resolve, reject) => {
    // A request without a Host header is refused by the guard, with a body.
    const server = createServer(
      { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS },
      (incoming, outgoing) => {
        const { method = 'GET', url: path = '/' } = incoming;
        const why = objection(authorityOf(incoming)) ?? (isUrl(path) ? null : INVALID_URL);
        if (why === null) void serve(incoming, outgoing);
        else void send(refused({ method, path }, why), outgoing);
      },
    );
    server.on('checkExpectation', ({ method = 'GET', url: path = '/' }: IncomingMessage, outgoing) => {
      void send(refused({ method, path }, UNMET), outgoing);
    });
    if (upgrade !== undefined) {
      server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
        socket.on('error', () => socket.destroy());
        const why = objection(authorityOf(request));
        if (why === null) upgrade({ request, socket, head });
        else refuseUpgrade(socket, why.status);
      });
    }
    answerUnparsed(server, (why) => refused({ method: '-', path: '-' }, why));
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const { address, family, port: taken } = server.address() as AddressInfo;
      const name = family === 'IPv6' ? `[${address}]` : address;
      resolve({ origin: `http://${name}:${taken}`, port: taken, close: () => stop(server) });
    });
  });
}

// Other paths with backslashes are refused, silently, by the library that builds the Request.
function isUrl(path: string): boolean {
  const isAbsolute = /^https?:\/\//i.test(path);
  if (!isAbsolute && !path.startsWith('/')) return false;
  return !/^[^?]*\\/.test(path) && URL.canParse(isAbsolute ? path : `http://host${path}`);
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
