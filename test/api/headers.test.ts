import { describe, expect, it } from 'vitest';
import { servedWorld, world } from '../support/world.js';
import { rpcMessage } from './rpc/support.js';

const ACCOUNT = '/api/v1/agent/account';
const MISSING = 'Bearer realm="agent-bank-sim"';
const REFUSED = 'Bearer realm="agent-bank-sim", error="invalid_token"';

/** A served world, its URL, and a token of its first wallet. */
async function served() {
  const { sim, origin } = await servedWorld();
  return { sim, origin, token: (await sim.agent(0).signIn()).token };
}

async function challengeOf(url: string, init: RequestInit = {}): Promise<[number, string | null]> {
  const { status, headers } = await fetch(url, init);
  return [status, headers.get('www-authenticate')];
}

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

// Those of all other answers of the API: test/api/published.test.ts.
describe('a 401', () => {
  it('of a fault has WWW-Authenticate', async () => {
    const sim = await world();
    sim.faults.add({ endpoint: 'yieldRates', effect: 'replace-response', status: 401 });
    const answer = await sim.fetch('/api/v1/agent/account/savings/yield');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, MISSING]);
  });

  it('of the control interface has WWW-Authenticate', async () => {
    const { origin } = await servedWorld({}, { controlToken: 'right' });
    expect(await challengeOf(`${origin}/_sim/v1/time`)).toEqual([401, MISSING]);
    expect(await challengeOf(`${origin}/_sim/v1/time`, bearing('wrong'))).toEqual([401, REFUSED]);
    expect(await challengeOf(`${origin}/_sim/v1/time`, bearing('right'))).toEqual([200, null]);
  });
});

describe('Cache-Control', () => {
  it('is no-store for the API, the control interface and the facilitator', async () => {
    const { sim, origin, token } = await served();
    const paths = [
      ACCOUNT,
      '/api/v1/agent/account/transactions',
      '/api/v1/docs',
      '/.well-known/agent.json',
      '/nowhere',
      '/_sim/v1/wallets',
      '/_sim/v1/state',
      '/_sim/v1/nowhere',
      '/facilitator/supported',
      '/w/fork-9/api/v1/agent/account',
    ];
    for (const path of paths) {
      const answer = await fetch(origin + path, bearing(token));
      expect(answer.headers.get('cache-control'), path).toBe('no-store');
      await answer.arrayBuffer();
    }
    const challenge = await fetch(`${origin}/api/v1/agent/auth/challenge`, {
      method: 'POST',
      body: JSON.stringify({ wallet: sim.wallets[0]?.address }),
    });
    expect(challenge.headers.get('cache-control')).toBe('no-store');
    const stream = await fetch(`${origin}/_sim/v1/events/stream`);
    expect(stream.headers.get('cache-control')).toBe('no-store');
    await stream.body?.cancel();
  });
});

describe('HEAD', () => {
  it('gets the status and headers of GET without a body', async () => {
    const { sim, origin, token } = await served();
    const paths = [ACCOUNT, '/nowhere', '/.well-known/agent.json', '/_sim/v1/time', '/_sim/v1/nowhere'];
    for (const path of paths) {
      const get = await fetch(origin + path, bearing(token));
      const head = await fetch(origin + path, { ...bearing(token), method: 'HEAD' });
      expect(head.status, path).toBe(get.status);
      for (const name of ['content-type', 'cache-control'])
        expect(head.headers.get(name), `${path} ${name}`).toBe(get.headers.get(name));
      expect(head.headers.get('x-request-id'), path).toMatch(/^(req|ctl)_/);
      expect(await head.text(), path).toBe('');
      await get.text();
    }
    expect(sim.events.page({ after: 0, limit: 1_000 }).events).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ method: 'HEAD', operation: 'account' }) }),
    );
  });

  it('is rejected with 404 on paths without GET', async () => {
    const sim = await world();
    for (const path of ['/api/v1/agent/auth/challenge', '/_sim/v1/faucet'])
      expect((await sim.fetch(path, { method: 'HEAD' })).status, path).toBe(404);
  });

  it('ends without a response when a fault loses it', async () => {
    const { sim, origin } = await servedWorld();
    sim.faults.add({ endpoint: 'yieldRates', effect: 'lose-response' });
    const path = '/api/v1/agent/account/savings/yield';
    for (const method of ['GET', 'HEAD']) {
      await expect(fetch(origin + path, { method }), method).rejects.toThrow('fetch failed');
      await expect(sim.fetch(path, { method }), method).rejects.toThrow('fetch failed');
    }
  });
});

const PAGE = 'https://shop.example:8443';
const LOCAL = 'http://localhost:5173';

/** Serves API and RPC for pages of one origin; gives the URLs of the API and its control interface, of those of a fork, and of the RPC. */
async function servedTo(...cors: string[]) {
  const sim = await world();
  const { origin } = await sim.listen({ cors });
  const { id } = await sim.openFork();
  const rpc = await sim.listenRpc({ cors });
  const api = ['', `/w/${id}`].flatMap((mount) => [
    `${origin}${mount}${ACCOUNT}`,
    `${origin}${mount}/.well-known/agent.json`,
  ]);
  const control = ['', `/w/${id}`].flatMap((mount) => [
    `${origin}${mount}/_sim/v1/time`,
    `${origin}${mount}/facilitator/supported`,
  ]);
  return { api, control, rpc };
}

const preflight = (url: string, origin: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,idempotency-key',
    },
  });

describe('a page of an origin allowed by --cors', () => {
  it('calls the API, in forks too, and reads responses and errors', async () => {
    const { api } = await servedTo(LOCAL, PAGE);
    for (const url of api) {
      const asked = await preflight(url, PAGE);
      expect([asked.status, await asked.text()], url).toEqual([204, '']);
      expect(Object.fromEntries(asked.headers), url).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': 'authorization,idempotency-key',
        vary: 'Origin',
      });
      const answer = await fetch(url, { headers: { origin: PAGE, 'sec-fetch-site': 'cross-site' } });
      expect(answer.status).toBe(url.endsWith('/account') ? 401 : 200);
      expect(Object.fromEntries(answer.headers), url).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-expose-headers': 'Date, X-Request-Id, Retry-After, WWW-Authenticate',
        'x-request-id': expect.stringMatching(/^req_/),
        vary: 'Origin',
      });
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
      await answer.text();
    }
  });

  it('calls the RPC', async () => {
    const { rpc } = await servedTo(PAGE);
    const call = (origin: string) => {
      const headers = { origin, 'content-type': 'application/json' };
      return fetch(rpc.url, { method: 'POST', headers, body: rpcMessage('getHealth') });
    };
    const answer = await call(PAGE);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
    expect((await preflight(rpc.url, PAGE)).headers.get('access-control-allow-headers')).toBe(
      'authorization,idempotency-key',
    );
    expect((await call('https://shop.example')).status).toBe(403);
  });

  it('cannot call the control interface or the facilitator', async () => {
    const { control } = await servedTo(LOCAL, PAGE);
    for (const url of control)
      for (const origin of [LOCAL, PAGE]) {
        const asked = await preflight(url, origin);
        const answer = await fetch(url, { headers: { origin, 'sec-fetch-site': 'cross-site' } });
        expect(answer.status, `${origin} ${url}`).toBe(403);
        expect(await answer.json()).toMatchObject({ code: 'foreign_origin' });
        for (const { headers } of [asked, answer])
          for (const name of headers.keys()) expect(name, url).not.toMatch(/^access-control/);
        expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      }
  });
});

describe('--cors', () => {
  it('gives no permission to other origins', async () => {
    const { api } = await servedTo(PAGE);
    const others = [
      LOCAL,
      'http://shop.example:8443',
      'https://shop.example',
      'https://evil.shop.example:8443',
      'null',
    ];
    for (const url of api)
      for (const origin of others) {
        const asked = await preflight(url, origin);
        const answer = await fetch(url, { headers: { origin } });
        expect(asked.status, `${origin} ${url}`).toBe(404);
        for (const { headers } of [asked, answer])
          expect(headers.has('access-control-allow-origin'), `${origin} ${url}`).toBe(false);
        await answer.text();
      }
  });

  it('rejects a value that is not an origin', async () => {
    const sim = await world();
    for (const cors of [
      '*',
      'localhost:5173',
      `${LOCAL}/`,
      `${LOCAL}/app`,
      'HTTP://LOCALHOST:5173',
      'null',
      'file:///',
      'http://localhost:80',
      '',
    ]) {
      await expect(sim.listen({ cors: [cors] }), cors).rejects.toThrow(/expected the origin of a page/);
      await expect(sim.listenRpc({ cors: [cors] }), cors).rejects.toThrow(/expected the origin of a page/);
    }
  });
});
