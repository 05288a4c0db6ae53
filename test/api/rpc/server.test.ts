import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RawAnswer, headOf, rawRequest } from '../../support/raw-http.js';
import { world } from '../../support/world.js';
import { rpcMessage } from './support.js';

const HEALTH = rpcMessage('getHealth');

/** A request with any header, those that fetch forbids included. */
function ask(
  port: number,
  { method = 'POST', path = '/', headers = {}, body = HEALTH } = {},
): Promise<RawAnswer> {
  const length = String(Buffer.byteLength(body));
  const usual = { host: 'localhost', 'content-type': 'application/json', 'content-length': length };
  return rawRequest(port, headOf(`${method} ${path}`, { ...usual, ...headers }), body);
}

/** The status with which a WebSocket is rejected; 101 when it opens. */
function knock(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers });
    socket.on('open', () => {
      resolve(101);
      socket.terminate();
    });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => undefined);
  });
}

describe('RPC server', () => {
  it('responds on its port and the next one, over HTTP and WebSocket', async () => {
    const sim = await world();
    const rpc = await sim.listenRpc();
    for (const port of [rpc.port, rpc.port + 1]) {
      expect(JSON.parse((await ask(port)).body)).toEqual({ jsonrpc: '2.0', result: 'ok', id: 1 });
      expect(await knock(`ws://127.0.0.1:${port}`, {})).toBe(101);
    }
    const health = await ask(rpc.port, { method: 'GET', path: '/health' });
    expect(health).toMatchObject({ status: 200, body: 'ok' });
    await rpc.close();
    await expect(ask(rpc.port)).rejects.toThrow('ECONNREFUSED');
    await expect(ask(rpc.port + 1)).rejects.toThrow('ECONNREFUSED');
  });

  it('reports the port in use, the second one too', async () => {
    const sim = await world();
    const rpc = await sim.listenRpc();
    const inUse = (port: number) =>
      expect(sim.listenRpc({ port: rpc.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    await inUse(rpc.port);
    await rpc.close();
    const busy = createServer();
    await once(busy.listen(rpc.port + 1, '127.0.0.1'), 'listening');
    await inUse(rpc.port + 1);
    await new Promise((resolve) => busy.close(resolve));
    await (await sim.listenRpc({ port: rpc.port })).close();
  });

  it('serves pages of this machine only, and rejects foreign origins and hosts', async () => {
    const sim = await world();
    const { port } = await sim.listenRpc();
    const own = await ask(port, { headers: { origin: 'http://localhost:5173' } });
    expect(own.status).toBe(200);
    expect(own.headers['access-control-allow-origin']).toBe('http://localhost:5173');
    const asked = { 'access-control-request-headers': 'content-type,solana-client' };
    const headersOfPage = { origin: 'http://127.0.0.1:3000', ...asked };
    const preflight = await ask(port, { method: 'OPTIONS', headers: headersOfPage });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toBe('content-type,solana-client');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'null' },
      { origin: 'file://' },
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: '127.0.0.1.evil.example' },
    ] as Record<string, string>[]) {
      const reply = await ask(port, { headers });
      expect(reply.status, JSON.stringify(headers)).toBe(403);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
      expect(await knock(`ws://127.0.0.1:${port}`, headers), JSON.stringify(headers)).toBe(403);
    }
  });

  it('rejects other methods, other content types and bodies that are too large', async () => {
    const sim = await world();
    const { port, webSocketUrl } = await sim.listenRpc();
    expect((await ask(port, { method: 'GET' })).status).toBe(405);
    expect((await ask(port, { method: 'PUT' })).status).toBe(405);
    expect((await ask(port, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    const large = 'x'.repeat(1_024 * 1_024 + 1);
    expect((await ask(port, { headers: { 'content-length': String(large.length) } })).status).toBe(413);
    const code = await new Promise((resolve) => {
      const socket = new WebSocket(webSocketUrl);
      socket.on('open', () => socket.send(large));
      socket.on('error', () => undefined);
      socket.on('close', resolve);
    });
    expect(code).toBe(1_009);
    expect((await ask(port)).status).toBe(200);
  });

  it('accepts batches up to a limit, and does not respond to notifications', async () => {
    const sim = await world();
    const { port } = await sim.listenRpc();
    const calls = [
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', method: 'getHealth' },
      { jsonrpc: '2.0', id: 7, method: 'getNonsense' },
      5,
    ];
    expect(JSON.parse((await ask(port, { body: JSON.stringify(calls) })).body)).toEqual([
      { jsonrpc: '2.0', result: 'ok', id: 'a' },
      { jsonrpc: '2.0', error: { code: -32_601, message: 'Method not found: getNonsense' }, id: 7 },
      { jsonrpc: '2.0', error: { code: -32_600, message: 'Invalid request: method must be text' }, id: null },
    ]);
    expect((await ask(port, { body: JSON.stringify(calls.slice(1, 2)) })).body).toBe('');
    for (const body of ['[]', JSON.stringify(Array.from({ length: 1_001 }, () => calls[0]))]) {
      const answer: unknown = JSON.parse((await ask(port, { body })).body);
      expect(answer).toMatchObject({ error: { code: -32_600 }, id: null });
    }
    const broken: unknown = JSON.parse((await ask(port, { body: '{"jsonrpc"' })).body);
    expect(broken).toMatchObject({ error: { code: -32_700 } });
  });
});

describe('idle connections', () => {
  it('stay open for longer than the 20 s for which clients use them again', async () => {
    const sim = await world();
    const [api, rpc] = [await sim.listen(), await sim.listenRpc()];
    for (const response of [
      await fetch(`${api.origin}/health`),
      await fetch(rpc.url, { method: 'POST', body: HEALTH }),
    ]) {
      const [, seconds] = /timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '') ?? [];
      expect(Number(seconds)).toBeGreaterThan(20);
      await response.text();
    }
  });
});
