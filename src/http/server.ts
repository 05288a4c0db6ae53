import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { LostAnswer } from './answers.js';

/** A server that listens. */
export interface RunningServer {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** Node's own side of a request. */
export type Incoming = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Serves `fetch` on a host and port; port 0 takes a free one. Rejects with Node's error, such as EADDRINUSE. */
export function listen(
  fetch: (request: Request, incoming: Incoming) => Response | Promise<Response>,
  options: { host: string; port: number },
): Promise<RunningServer> {
  const finished = (answer: Response, incoming: Incoming): Response => {
    if (!(answer instanceof LostAnswer)) return answer;
    incoming.socket.destroy();
    return RESPONSE_ALREADY_SENT;
  };
  return new Promise((resolve, reject) => {
    const server: ServerType = serve(
      {
        fetch: (request, { incoming }) => {
          const answer = fetch(request, incoming);
          return answer instanceof Promise
            ? answer.then((late) => finished(late, incoming))
            : finished(answer, incoming);
        },
        hostname: options.host,
        port: options.port,
      },
      (info: AddressInfo) => {
        server.off('error', reject);
        const host = info.family === 'IPv6' ? `[${info.address}]` : info.address;
        resolve({ origin: `http://${host}:${info.port}`, port: info.port, close: () => stop(server) });
      },
    );
    server.once('error', reject);
  });
}

function stop(server: ServerType): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}
