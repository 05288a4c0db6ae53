import { describe, expect, it } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.js';
import { paywallOf } from '../support/paywall.js';
import { rawRequest } from '../support/raw-http.js';
import { world } from '../support/world.js';

const PATHS = {
  'the API': '/api/v1/agent/onboard',
  'the agent card': '/.well-known/agent.json',
  'the facilitator': '/facilitator/supported',
  'the control interface': '/_sim/v1/time',
};

const ALL = [...Object.keys(PATHS), 'the paywall', 'the RPC'];

/** Serves all interfaces; gives the port and the path of one. */
async function served(sim: Simulator, name: string, allowHosts: string[] = []): Promise<[number, string]> {
  if (name === 'the RPC') return [(await sim.listenRpc({ allowHosts })).port, '/health'];
  if (name !== 'the paywall') return [(await sim.listen({ allowHosts })).port, PATHS[name as 'the API']];
  return [Number(new URL(await paywallOf(sim, allowHosts)).port), '/'];
}

const get = (port: number, path: string, ...headers: string[]) =>
  rawRequest(port, [`GET ${path} HTTP/1.1`, ...headers].join('\r\n'));

describe.each(ALL)('%s', (name) => {
  it('rejects requests for a foreign host, against DNS rebinding', async () => {
    const [port, path] = await served(await world(), name);
    const evil = 'evil.example';
    for (const host of [evil, `${evil}:${port}`, `127.0.0.1.${evil}`, `localhost.${evil}`]) {
      const { status, body } = await get(port, path, `host: ${host}`);
      expect(status, host).toBe(403);
      expect(body).toContain('is not this server');
    }
    const own = ['localhost', `LOCALHOST:${port}`, '127.0.0.1', '[::1]:80', 'sim.localhost', '10.0.0.7'];
    for (const host of own) expect((await get(port, path, `host: ${host}`)).status, host).not.toBe(403);
  });

  it('serves an allowed host', async () => {
    const [port, path] = await served(await world(), name, ['Bank']);
    expect((await get(port, path, 'host: bank:4020')).status).not.toBe(403);
    expect((await get(port, path, 'host: bank.evil.example')).status).toBe(403);
  });

  it('rejects an invalid Host header with its usual error body', async () => {
    const [port, path] = await served(await world(), name);
    const invalid = ['', '256.256.256.256', 'localhost:99999', 'a b', 'x@localhost', 'localhost/evil'];
    for (const host of [...invalid, '[::1', '"', 'é']) {
      const { status, headers, body } = await get(port, path, `host: ${host}`);
      expect(status, host).toBe(400);
      if (name === 'the RPC') expect(body).toContain('Host header');
      else {
        expect(headers['content-type']).toContain('application/json');
        expect(JSON.parse(body)).toMatchObject({ code: 'invalid_host', error: expect.any(String) });
      }
    }
  });
});

describe('an absolute URL in the request line', () => {
  it('is restricted to the same hosts and does not appear in the agent card', async () => {
    const [port, path] = await served(await world(), 'the agent card');
    const { status, body } = await get(port, `http://evil.example${path}`, 'host: localhost');
    expect(status).toBe(403);
    expect(body).not.toContain('http://evil.example');
    expect((await get(port, `http://localhost:${port}${path}`, 'host: evil.example')).status).toBe(200);
    for (const target of ['/a\\b', '*', 'http://[']) {
      const refused = await get(port, target, 'host: localhost');
      expect(refused.status, target).toBe(400);
      expect(JSON.parse(refused.body)).toMatchObject({ code: expect.any(String) });
    }
  });
});

describe.each(['the control interface', 'the facilitator'])('%s and browsers', (name) => {
  it('rejects cross-site requests', async () => {
    const [port, path] = await served(await world(), name);
    for (const site of ['cross-site', 'same-site']) {
      const { status, body } = await get(port, path, 'host: localhost', `sec-fetch-site: ${site}`);
      expect(status, site).toBe(403);
      expect(JSON.parse(body)).toMatchObject({ code: 'foreign_origin' });
    }
    for (const site of ['same-origin', 'none'])
      expect((await get(port, path, 'host: localhost', `sec-fetch-site: ${site}`)).status, site).not.toBe(
        403,
      );
  });

  it('forbids other origins to load its responses, errors included', async () => {
    const [port, path] = await served(await world(), name);
    for (const more of [[], ['sec-fetch-site: cross-site']])
      expect((await get(port, path, 'host: localhost', ...more)).headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
  });
});
