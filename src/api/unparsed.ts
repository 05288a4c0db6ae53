import { type Server, STATUS_CODES, type ServerResponse, maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from './origin-guard.js';

const MALFORMED: Problem = {
  status: 400,
  code: 'malformed_request',
  message: 'This is not a valid HTTP/1.1 request.',
};

/** Other refusals of Node's parser, by the code of its error. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    message: `The headers of a request may have ${maxHeaderSize} bytes.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'payload_too_large',
    message: 'The chunks of the body have too many extensions.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The client did not send the request in time.',
  },
};

async function write(answer: Response, socket: Socket): Promise<void> {
  const text = await answer.text();
  const headers = {
    ...Object.fromEntries(answer.headers),
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroySoon();
}

/** Responds to requests that Node's parser refuses, which do not reach a server's handlers, and closes their connections. */
export function answerUnparsed(server: Server, render: (why: Problem) => Response): void {
  const answered = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket & { readonly _httpMessage?: ServerResponse | null };
    if (answered.has(socket)) return;
    // What follows a response that has begun would be read as a part of it.
    if (!socket.writable || error.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
      socket.destroy(error);
      return;
    }
    answered.add(socket);
    void write(render(PROBLEMS[error.code ?? ''] ?? MALFORMED), socket);
  });
}
