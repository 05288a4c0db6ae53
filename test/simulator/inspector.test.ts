import { describe, expect, it } from 'vitest';
import { dumpOf } from '../support/dump.js';
import { rawRequest } from '../support/raw-http.js';
import { world } from '../support/world.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** A request with headers that fetch would set itself. */
function rawGet(port: number, path: string, headers: Record<string, string>) {
  const lines = Object.entries({ host: 'localhost', ...headers });
  return rawRequest(
    port,
    [`GET ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n'),
  );
}

async function pageAt(url: string, init: RequestInit = {}): Promise<[Response, string]> {
  const answer = await fetch(url, { headers: BROWSER, ...init });
  return [answer, await answer.text()];
}

/** The paths of the files that a page loads. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/inspector\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

describe('the inspector', () => {
  it('is the page at the root for browsers, and at every path below /inspector, also of forks', async () => {
    const sim = await world();
    const { origin } = await sim.listen();
    const { id } = await sim.openFork();
    const [root, page] = await pageAt(`${origin}/`);
    expect([root.status, root.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    expect(filesOf(page).length).toBeGreaterThan(1);
    for (const path of [
      '/inspector',
      '/inspector/',
      '/inspector/agents/x?a=b',
      `/w/${id}`,
      `/w/${id}/`,
      `/w/${id}/inspector/timeline`,
    ])
      expect((await pageAt(origin + path))[1], path).toBe(page);
    const program = await fetch(`${origin}/`);
    expect([program.status, await program.json()]).toMatchObject([404, { code: 'not_found' }]);
  });

  it('lets browsers keep its files for good and the page not at all', async () => {
    const { origin } = await (await world()).listen();
    const [answer, page] = await pageAt(`${origin}/inspector/`);
    expect([answer.headers.get('cache-control'), answer.headers.get('vary')]).toEqual(['no-cache', 'Accept']);
    for (const path of filesOf(page)) {
      const file = await fetch(origin + path);
      expect(file.status).toBe(200);
      expect(file.headers.get('content-type')).toMatch(/^text\/(?:css|javascript); charset=UTF-8$/);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('runs its own files only, in no frame, with an opener of its own origin only', async () => {
    const { origin } = await (await world()).listen();
    const [answer, page] = await pageAt(`${origin}/`);
    const [file = ''] = filesOf(page);
    for (const { headers } of [answer, await fetch(origin + file)]) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
    expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=|https?:/);
  });

  it('can be linked to from another site, which can neither frame nor load it', async () => {
    const { origin, port } = await (await world()).listen();
    const link = { ...BROWSER, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const linked = await rawGet(port, '/inspector/timeline', { ...link, 'sec-fetch-dest': 'document' });
    expect(linked.status).toBe(200);
    const [, page] = await pageAt(`${origin}/`);
    const foreign: Record<string, string>[] = [
      { ...link, 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of foreign)
      for (const path of ['/inspector/', ...filesOf(page)]) {
        const { status, body } = await rawGet(port, path, headers);
        expect([status, JSON.parse(body)]).toMatchObject([403, { code: 'foreign_origin' }]);
      }
    const { body } = await rawGet(port, '/', foreign[0] ?? {});
    expect(filesOf(body)).toEqual([]);
  });

  it('is refused for a foreign host', async () => {
    const { port } = await (await world()).listen();
    for (const path of ['/', '/inspector/', '/inspector/assets/x.js']) {
      const { status } = await rawGet(port, path, { ...BROWSER, host: 'evil.example' });
      expect(status).toBe(403);
    }
  });

  it('with a token shows its files to all, and nothing of the world', async () => {
    const sim = await world();
    const { origin } = await sim.listen({ controlToken: 'secret' });
    const [answer, page] = await pageAt(`${origin}/inspector/agents`);
    expect(answer.status).toBe(200);
    for (const { address, secretKey } of sim.wallets) {
      expect(page).not.toContain(address);
      expect(page).not.toContain(secretKey);
    }
    expect((await fetch(`${origin}/_sim/v1/wallets`)).status).toBe(401);
  });

  it('is read only, and has no files but its own', async () => {
    const sim = await world();
    const { origin, port } = await sim.listen();
    const posted = await fetch(`${origin}/inspector/`, { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${origin}/inspector/`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const path of [
      'assets/',
      'assets/none.js',
      'assets/../index.html',
      'assets/..%2f..%2fcli%2fmain.js',
      'assets/%2e%2e/%2e%2e/cli/main.js',
      'assets/__proto__',
      'assets/constructor',
    ]) {
      const { status, body } = await rawGet(port, `/inspector/${path}`, {});
      expect(status === 404 || body.startsWith('<!doctype html>'), path).toBe(true);
      expect(body).not.toContain('import');
    }
  });

  it('leaves no trace: opening it takes no number of a request and is no event', async () => {
    const sim = await world();
    const { origin } = await sim.listen();
    const before = await dumpOf(sim);
    const events = () => sim.events.page({ after: 0, limit: 1_000 }).events;
    const { length } = events();
    const [, page] = await pageAt(`${origin}/`);
    for (const path of filesOf(page)) await fetch(origin + path);
    expect(events()).toHaveLength(length);
    expect(await dumpOf(sim)).toBe(before);
    const answer = await fetch(`${origin}/api/v1/agent/account/savings/yield`);
    expect(answer.headers.get('x-request-id')).toBe('req_00000001');
  });

  it('is absent with inspector: false, where the root lists the interfaces', async () => {
    const { origin } = await (await world({ inspector: false })).listen();
    const [answer] = await pageAt(`${origin}/inspector/`);
    expect(answer.status).toBe(404);
    const [, root] = await pageAt(`${origin}/`);
    expect(root).toContain(`>${origin}/_sim/v1/openapi.json<`);
  });
});
