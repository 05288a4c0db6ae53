import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { BodyBudget, readBody } from '../../src/core/request-body.js';
import { resourceOf } from '../../src/sdk/x402/binding.js';
import { Facilitator } from '../../src/sdk/x402/facilitator/facilitator.js';
import { world } from '../support/world.js';

/** What a server sent until it closed the connection. */
interface Received {
  readonly text: string;
  /** How much of the body had been sent by then. */
  readonly sentBytes: number;
}

const CHUNK = Buffer.alloc(65_536, 'x');

/** Sends up to `maxBytes` of a chunked body that never ends, until the server closes the connection. */
function flood(port: number, path: string, maxBytes: number): Promise<Received> {
  return new Promise((resolve) => {
    let text = '';
    let sentBytes = 0;
    const socket = connect(port, '127.0.0.1');
    const send = () => {
      while (!socket.destroyed && sentBytes < maxBytes) {
        sentBytes += CHUNK.length;
        const goesOn = socket.write(
          Buffer.concat([Buffer.from(`${CHUNK.length.toString(16)}\r\n`), CHUNK, Buffer.from('\r\n')]),
        );
        if (!goesOn) return;
      }
    };
    socket.on('drain', send);
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ text, sentBytes }));
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      'transfer-encoding: chunked',
      JSON_TYPE,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`, send);
  });
}

/** Declares a body and closes the connection in the middle of it. */
function disconnectMidBody(port: number, path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('close', () => resolve());
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"by":`,
      () => socket.destroy(),
    );
  });
}

/** A request with a body that comes bit by bit. */
const postOf = (url: string, body: ReadableStream) =>
  new Request(url, { method: 'POST', body, duplex: 'half' });

const JSON_TYPE = 'content-type: application/json';
const MEBIBYTE = 1_024 * 1_024;

describe('bodies that are being received', () => {
  /** A request whose body comes in parts, and what sends them. */
  function slow(): { request: Request; body: ReadableStreamDefaultController<Uint8Array> } {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        body = controller;
      },
    });
    return { request: postOf('http://sim/', stream), body: body as never };
  }

  it('hold together at most the budget beyond a MiB each, and nothing when they have ended or their sender has gone', async () => {
    const budget = new BodyBudget(4 * MEBIBYTE);
    const [first, second, small] = [slow(), slow(), slow()];
    const [read, refused, whole] = [first, second, small].map(({ request }) =>
      readBody(request, 16 * MEBIBYTE, budget),
    );
    for (let sent = 0; sent < 4; sent += 1) first.body.enqueue(new Uint8Array(MEBIBYTE));
    await vi.waitUntil(() => budget.waitingBytes === 3 * MEBIBYTE);
    for (let sent = 0; sent < 3; sent += 1) second.body.enqueue(new Uint8Array(MEBIBYTE));
    expect(await refused).toEqual({ kind: 'busy' });
    small.body.enqueue(new Uint8Array(MEBIBYTE));
    small.body.close();
    expect(await whole).toMatchObject({ kind: 'read' });
    expect(budget.waitingBytes).toBe(3 * MEBIBYTE);
    first.body.error(new Error('gone'));
    expect(await read).toEqual({ kind: 'broken_off' });
    expect(budget.waitingBytes).toBe(0);
    const third = slow();
    for (let sent = 0; sent < 5; sent += 1) third.body.enqueue(new Uint8Array(MEBIBYTE));
    third.body.close();
    expect(await readBody(third.request, 16 * MEBIBYTE, budget)).toMatchObject({ kind: 'read' });
    expect(budget.waitingBytes).toBe(0);
  });
});

describe('endless request body', () => {
  it.each([
    ['the API', '/api/v1/agent/auth/challenge', '400', 'payload_too_large'],
    ['the control interface', '/_sim/v1/time/advance', '413', 'The body is larger than 1024 bytes.'],
    ['a state import', '/_sim/v1/state', '413', 'The state is larger than 2000000 bytes.'],
    ['the RPC', '/', '413', ''],
  ])('is rejected by %s once it is too large', async (name, path, status, words) => {
    const sim = await world({ limits: { stateBytes: 2_000_000, controlBodyBytes: 1_024 } });
    const { port } = await (name === 'the RPC' ? sim.listenRpc() : sim.listen());
    const { text, sentBytes } = await flood(port, path, 16 * MEBIBYTE);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain(words);
    expect(sentBytes).toBeLessThanOrEqual(16 * MEBIBYTE);
  });

  it('is rejected by the facilitator with payload_too_large', async () => {
    const parts = { chain: { listen: () => undefined }, key: {} };
    const facilitator = new Facilitator({ facilitator: () => ({}) } as never, parts as never);
    const body = new Blob(['x'.repeat(65_537)]).stream();
    const request = postOf('http://sim.local/facilitator/verify', body);
    const { response, code } = await facilitator.answer('verify', request);
    expect([response.status, code]).toEqual([413, 'payload_too_large']);
  });
});

describe('sender that disconnects in the middle of a body', () => {
  it('is rejected by a paywall with body_broken_off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) });
    const request = postOf('http://shop.local/', body);
    expect(await resourceOf(request, { origin: null, maxBodyBytes: 100 })).toMatchObject({
      ok: false,
      refusal: { code: 'body_broken_off' },
    });
  });

  it('is not reported as a bug of the simulator', async () => {
    const bugs: unknown[] = [];
    const sim = await world({}, { onBug: (error) => bugs.push(error) });
    const { port, origin } = await sim.listen();
    const answered = new Promise<void>((resolve) => {
      sim.events.onAppend(() => {
        if (JSON.stringify(sim.events.at(sim.events.last)).includes('/time/advance')) resolve();
      });
    });
    await disconnectMidBody(port, '/_sim/v1/time/advance');
    await answered;
    await disconnectMidBody(port, '/facilitator/verify');
    await disconnectMidBody(port, '/api/v1/agent/auth/challenge');
    expect((await fetch(`${origin}/_sim/v1/time`)).status).toBe(200);
    expect(bugs).toEqual([]);
  });
});
