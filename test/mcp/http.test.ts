import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { agentWith, servedWorld, world } from '../support/world.js';
import { headOf, rawRequest } from '../support/raw-http.js';
import { ERAS, type Told, clientOf, overHttp, served, tell } from './support.js';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The head of a raw request with such headers, and one more. */
const headWith = (header: Record<string, string>) =>
  headOf('POST /mcp', { host: '127.0.0.1', ...HEADERS, ...header });

function initialize(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: INITIALIZE });
}

describe('/mcp', () => {
  it.each<[string, Record<string, string>]>([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, as the control interface does', async (_who, headers) => {
    const { origin } = await servedWorld({}, { cors: ['https://evil.example'] });
    const answer = await initialize(`${origin}/mcp`, headers);
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'foreign_origin' }]);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses a foreign Host, so that a rebound name of a page does not reach it', async () => {
    const { port } = await servedWorld();
    const told = await rawRequest(port, 'POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0');
    expect(told.body).toContain('foreign_host');
  });

  it('reads a body whole, of however many chunks, and none that is too large', async () => {
    const { port } = await servedWorld({ limits: { controlBodyBytes: 3_000 } });
    const head = headWith({ 'transfer-encoding': 'chunked' });
    const statusOf = async (text: string) => {
      const chunks = Array.from(text, (character) => `1\r\n${character}\r\n`).join('');
      return (await rawRequest(port, head, `${chunks}0\r\n\r\n`)).status;
    };
    expect(await statusOf(INITIALIZE.padEnd(2_000))).toBe(200);
    expect(await statusOf('{'.padEnd(2_000))).toBe(400);
    expect(await statusOf(INITIALIZE.padEnd(3_001))).toBe(413);
  });

  it('closes the connection with the answer for a client that asks for it', async () => {
    const { port } = await servedWorld();
    const head = headWith({ 'content-length': String(INITIALIZE.length) });
    const { status, headers } = await rawRequest(port, head, INITIALIZE);
    expect([status, headers['connection']]).toEqual([200, 'close']);
  });

  it('requires the control token when there is one', async () => {
    const { origin } = await servedWorld({}, { controlToken: 'secret' });
    for (const headers of [{}, { authorization: 'Bearer other' }]) {
      const answer = await initialize(`${origin}/mcp`, headers);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
    const client = clientOf('2026-07-28');
    const authorized = { requestInit: { headers: { authorization: 'Bearer secret' } } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp?world=true`), authorized));
    expect((await tell(client, 'world_time')).isError).toBe(false);
    await client.close();
  });

  it('is closed beyond loopback without a token', async () => {
    const { port } = await servedWorld({}, { host: '0.0.0.0' });
    const answer = await initialize(`http://127.0.0.1:${port}/mcp`);
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'control_token_required' }]);
  });

  it('refuses options that it does not know, and wallets whose key the world does not know', async () => {
    const { sim, origin } = await servedWorld();
    sim.createWallet(); // the eleventh
    for (const query of [
      'max_spend=1USDC',
      'max-spend=many',
      'max-spend=1USDC,100USDC',
      'max-spend=1USDC&max-spend=100USDC',
      'world=perhaps',
      'wallet=10',
      `wallet=${'x'.repeat(40)}`,
    ])
      expect((await initialize(`${origin}/mcp?${query}`)).status, query).toBe(400);
  });

  it('serves each fork its own world', async () => {
    const sim = await world();
    await agentWith(sim, 0, { usdc: 10 });
    const { origin } = await sim.listen();
    const { id, fork } = await sim.openFork();
    const client = await overHttp(`${origin}/w/${id}/mcp?world=true`);
    expect((await tell(client, 'withdraw', { amount: 4, token: 'USDC' })).isError).toBe(false);
    await tell(client, 'world_advance', { by: '1d' });
    expect((await fork.agent(0).account()).checking.usdc).toBe(6);
    expect((await sim.agent(0).account()).checking.usdc).toBe(10);
    expect(fork.now().getTime() - sim.now().getTime()).toBe(86_400_000);
    await sim.dropFork(id);
    await expect(tell(client, 'account')).rejects.toThrow();
  });
});

describe('sessions', () => {
  const opened = async (url: string): Promise<string> => {
    const answer = await initialize(url);
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? `HTTP ${answer.status}`;
  };
  const ping = async (url: string, id: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const answer = await fetch(url, { method: 'POST', headers: { ...HEADERS, 'mcp-session-id': id }, body });
    await answer.text();
    return answer.status;
  };

  it('are bounded in number: the one that was unused for longest ends', async () => {
    const sim = await world({ limits: { mcpSessions: 2 } });
    const url = `${(await sim.listen()).origin}/mcp`;
    const [first, second] = [await opened(url), await opened(url)];
    expect(await ping(url, first)).toBe(200);
    const third = await opened(url);
    const statuses = [await ping(url, first), await ping(url, second), await ping(url, third)];
    expect(statuses).toEqual([200, 404, 200]);
  });

  it('end when they are idle, and not while their stream is open', async () => {
    const sim = await world({ limits: { mcpIdleMs: 50 } });
    const url = `${(await sim.listen()).origin}/mcp`;
    const idle = await opened(url);
    const leaving = new AbortController();
    let streaming = '';
    // On a busy machine the session may have ended before its stream opens.
    const stream = async () => {
      streaming = await opened(url);
      const headers = { accept: 'text/event-stream', 'mcp-session-id': streaming };
      return (await fetch(url, { headers, signal: leaving.signal })).status;
    };
    await expect.poll(stream).toBe(200);
    await expect.poll(() => ping(url, idle), { interval: 150, timeout: 5_000 }).toBe(404);
    expect(await ping(url, streaming)).toBe(200);
    leaving.abort();
    await expect.poll(() => ping(url, streaming), { interval: 150, timeout: 5_000 }).toBe(404);
  });

  it('keep the options that they were opened with', async () => {
    const sim = await world();
    const url = `${(await sim.listen()).origin}/mcp`;
    const id = await opened(`${url}?max-spend=1USDC`);
    expect(await ping(`${url}?max-spend=1USDC`, id)).toBe(200);
    expect(await ping(`${url}?max-spend=100USDC`, id)).toBe(400);
    expect(await ping(url, id)).toBe(400);
  });
});

it.each(ERAS)('a user approves over HTTP too (%s)', async (era) => {
  const { sim, url } = await served(10);
  const capabilities = { elicitation: { form: {} } };
  const client = await overHttp(`${url}?confirm-above=1USDC`, era, { capabilities });
  const answers = [true, false];
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept' as const,
    content: { pay: answers.shift() === true },
  }));
  const withdraw = async () => (await tell(client, 'withdraw', { amount: 2, token: 'USDC' })).isError;
  expect([await withdraw(), await withdraw()]).toEqual([false, true]);
  expect((await sim.agent(0).account()).checking.usdc).toBe(8);
  const silent = await overHttp(`${url}?confirm-above=1USDC`, era);
  const { content } = await tell(silent, 'withdraw', { amount: 2, token: 'USDC' });
  expect(content['error']).toMatchObject({ code: 'consent_unavailable' });
});

it('an approval cannot be used twice, or for another payment', async () => {
  const { sim, url } = await served(100);
  let id = 0;
  const call = async (args: object, more: object = {}) => {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const params = { name: 'withdraw', arguments: args, _meta, ...more };
    const names = { 'mcp-method': 'tools/call', 'mcp-name': 'withdraw' };
    const headers = { ...HEADERS, 'mcp-protocol-version': '2026-07-28', ...names };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const answer = await fetch(`${url}?confirm-above=1USDC`, { method: 'POST', headers, body });
    return (await answer.json()) as { result: Told['content']; error?: object };
  };
  const first = await call({ amount: 2, token: 'USDC' });
  expect(first.result?.['resultType']).toBe('input_required');
  const requestState = first.result['requestState'];
  const agreed = { requestState, inputResponses: { consent: { action: 'accept', content: { pay: true } } } };
  const isPaid = async (args: object) =>
    (await call(args, agreed)).result?.['structuredContent']?.success === true;
  for (const amount of [1.5, 50]) expect(await isPaid({ amount, token: 'USDC' }), `${amount}`).toBe(false);
  const second = await call({ amount: 2, token: 'USDC' });
  const again = { ...agreed, requestState: second.result['requestState'] };
  const two = { amount: 2, token: 'USDC' };
  expect((await call(two, again)).result['structuredContent'].success).toBe(true);
  expect((await call(two, again)).result['resultType']).toBe('input_required');
  expect((await call(two, { ...again, requestState: `${requestState}x` })).error).toBeDefined();
  expect((await sim.agent(0).account()).checking.usdc).toBe(98);
});
