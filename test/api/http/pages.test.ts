import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { servedWorld, world } from '../../support/world.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('pages for browsers', () => {
  it('the root page links to all interfaces, and to the RPC while it is served', async () => {
    const { sim, origin } = await servedWorld({ inspector: false });
    const before = await (await fetch(`${origin}/`, { headers: BROWSER })).text();
    expect(before).toContain('not served');
    const rpc = await sim.listenRpc();
    const answer = await fetch(`${origin}/`, { headers: BROWSER });
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    const ofApi = ['/api/v1', '/api/v1/docs', '/api/v1/openapi.json'];
    for (const path of [...ofApi, '/.well-known/agent.json', '/_sim/v1/openapi.json'])
      expect(text).toContain(`>${origin}${path}<`);
    expect(text).toContain(`>${rpc.url}<`);
    for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g))
      expect((await fetch(href, { headers: BROWSER })).status, href).toBe(200);
    const { id } = await sim.openFork();
    const fork = await (await fetch(`${origin}/w/${id}/`, { headers: BROWSER })).text();
    expect(fork).toContain(`>${origin}/w/${id}/api/v1<`);
    expect(fork).toContain(`>${rpc.url}/w/${id}<`);
  });

  it('the documentation is HTML for browsers, with every path, and JSON otherwise', async () => {
    const sim = await world();
    const page = await sim.fetch('/api/v1/docs', { headers: BROWSER });
    const text = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    for (const accept of ['', '*/*', 'application/json', 'application/json, text/html']) {
      const headers: Record<string, string> = accept === '' ? {} : { accept };
      const answer = await sim.fetch('/api/v1/docs', { headers });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=UTF-8');
      const { endpoints } = (await answer.json()) as { endpoints: Record<string, { path: string }[]> };
      for (const { path } of Object.values(endpoints).flat()) expect(text).toContain(`<code>${path}</code>`);
    }
    const other = await sim.fetch('/', { headers: { accept: '*/*' } });
    expect([other.status, await other.json()]).toMatchObject([
      404,
      { code: 'not_found', error: expect.stringContaining('/inspector/ in a browser') },
    ]);
  });

  it('load and run nothing, and contain no markup of the request', async () => {
    const sim = await world({ inspector: false });
    for (const path of ['/', '/api/v1/docs']) {
      const page = await sim.fetch(`${path}?<script>alert(1)</script>`, { headers: BROWSER });
      const text = await page.text();
      expect(text).not.toMatch(/<(h1|h2|p|a|dt|dd|th|td|li|code|title)\b[^>]*>\s*<\/\1>/);
      expect(text).not.toContain('alert');
      expect(text).not.toMatch(/<(?:img|link|iframe)|src=/);
      const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

it('the Date header is the time of the world that responds, which may be a fork', async () => {
  const { sim, origin } = await servedWorld();
  const { id } = await sim.openFork();
  await sim.advance('30d');
  const dateOf = async (path: string) =>
    (await fetch(`${origin}${path}/api/v1/agent/account/savings/yield`)).headers.get('date');
  expect(await dateOf('')).toBe('Sat, 31 Jan 2026 00:00:00 GMT');
  expect(await dateOf(`/w/${id}`)).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
});
