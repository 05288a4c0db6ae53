import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type Socket, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answerUnparsed } from '../../src/api/unparsed.js';
import type { Simulator } from '../../src/simulator/simulator.js';
import { listening } from '../support/listening.js';
import { paywallOf } from '../support/paywall.js';
import { rawRequest } from '../support/raw-http.js';
import { RawCaller, servedWorld, world } from '../support/world.js';

const HOST = 'host: localhost';

/** Requests that Node's parser rejects or does not pass on: the head, and the status and code of the response. */
const CASES: Readonly<Record<string, [head: string, status: number, code: string]>> = {
  'no Host header': ['GET /api/v1/docs HTTP/1.1', 400, 'invalid_host'],
  'headers of 20 KB': [`GET / HTTP/1.1\r\n${HOST}\r\nx: ${'y'.repeat(20_000)}`, 431, 'headers_too_large'],
  'a path of 20 KB': [`GET /${'y'.repeat(20_000)} HTTP/1.1\r\n${HOST}`, 431, 'headers_too_large'],
  'text that is not HTTP': ['what is this', 400, 'malformed_request'],
  'a header without a colon': [`GET / HTTP/1.1\r\n${HOST}\r\nwrong`, 400, 'malformed_request'],
  'two lengths of the body': [
    `POST / HTTP/1.1\r\n${HOST}\r\ncontent-length: 1\r\ntransfer-encoding: chunked`,
    400,
    'malformed_request',
  ],
};

async function portOf(sim: Simulator, name: 'the API' | 'the paywall' | 'the RPC'): Promise<number> {
  if (name === 'the API') return (await sim.listen()).port;
  if (name === 'the RPC') return (await sim.listenRpc()).port;
  return Number(new URL(await paywallOf(sim)).port);
}

describe.each(['the API', 'the paywall', 'the RPC'] as const)('%s', (name) => {
  it.each(Object.entries(CASES))(
    'rejects %s with its usual error body',
    async (_what, [head, status, code]) => {
      const port = await portOf(await world(), name);
      const answer = await rawRequest(port, head);
      expect(answer.status).toBe(status);
      if (name === 'the RPC') {
        expect(answer.headers['content-type']).toMatch(/^text\/plain/);
        expect(answer.body).toMatch(/^[A-Z].+\.$/);
        return;
      }
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      const error = expect.stringMatching(/\.$/) as string;
      expect(JSON.parse(answer.body)).toMatchObject({ code, error, details: {} });
      expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body));
    },
  );
});

it('the API gives requests that the parser rejects an id and logs them', async () => {
  const { sim, port } = await servedWorld();
  for (const [head, status, code] of Object.values(CASES)) {
    const { headers, body } = await rawRequest(port, head);
    const { requestId } = JSON.parse(body) as { requestId: string };
    expect(headers['x-request-id']).toBe(requestId);
    expect(sim.explain(requestId)?.text).toContain(`${status} ${code}`);
  }
  const unmet = await rawRequest(port, `GET / HTTP/1.1\r\n${HOST}\r\nexpect: tea`);
  expect([unmet.status, JSON.parse(unmet.body)]).toMatchObject([417, { code: 'expectation_failed' }]);
  expect(unmet.headers['x-request-id']).toMatch(/^ctl_/);
});

it('a body that breaks off is rejected and changes nothing', async () => {
  const sim = await world();
  const { token } = await RawCaller.signedIn(sim, 0);
  const { port } = await sim.listen();
  const { state } = sim.bank.books;
  const head = [
    'POST /api/v1/agent/account/withdraw HTTP/1.1',
    HOST,
    `authorization: Bearer ${token}`,
    'transfer-encoding: chunked',
    '',
    '5',
    '{"amo',
    'nonsense',
  ].join('\r\n');
  const { status, body } = await rawRequest(port, head);
  expect([status, JSON.parse(body)]).toMatchObject([400, { code: 'malformed_request' }]);
  expect(sim.bank.books.state).toBe(state);
});

/** A connection to a server that answers what its parser refuses by its code. */
async function connectedTo(server: Server): Promise<Socket> {
  answerUnparsed(server, ({ status, code }) => new Response(code, { status }));
  return connect(await listening(server), '127.0.0.1');
}

it('a request that does not arrive in time is rejected with 408', async () => {
  const server = createServer({ headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 });
  const socket = await connectedTo(server);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.write('GET / HTTP/1.1\r\n');
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[^]*\r\n\r\nrequest_timeout$/);
});

it('a malformed request during a response cuts the response off without a second one', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('begun');
  });
  const socket = await connectedTo(server);
  socket.on('error', () => undefined);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (part.endsWith('begun')) socket.write('nonsense\r\n\r\n');
  });
  socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n\r\n`);
  await once(socket, 'close');
  expect(text).toMatch(/begun$/);
});
