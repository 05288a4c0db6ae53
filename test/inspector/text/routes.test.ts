import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VIEW_NAMES, mountOf, pathOf, routeOf } from '../../../src/inspector/text/routes.js';
import { forAll } from '../../support/for-all.js';

describe('addresses of views', () => {
  it('name the view, the thing and the filters', () => {
    const route = { view: 'requests', id: 'req_00000001', query: { of: 'parent' } } as const;
    expect(pathOf('/w/fork-1', route)).toBe('/w/fork-1/inspector/requests/req_00000001?of=parent');
    expect(routeOf('/w/fork-1/inspector/requests/req_00000001', '?of=parent')).toEqual(route);
  });

  it('are the overview for the root of a world', () => {
    const overview = { view: 'overview', id: null, query: {} };
    for (const path of ['/', '/inspector', '/inspector/', '/w/fork-1/', '/w/fork-1/inspector/'])
      expect(routeOf(path, '')).toEqual(overview);
  });

  it('lead somewhere by near names: those of the navigation, one for many, other words', () => {
    const viewOf = (name: string) => routeOf(`/inspector/${name}`, '')?.view;
    const near = {
      chain: 'transactions',
      Agents: 'agents',
      agent: 'agents',
      wallets: 'agents',
      customers: 'agents',
      loan: 'loans',
      entries: 'journal',
      events: 'timeline',
      log: 'timeline',
      request: 'requests',
      tx: 'transactions',
      account: 'accounts',
      forks: 'worlds',
      snapshots: 'worlds',
      payments: 'x402',
      home: 'overview',
    };
    for (const [name, view] of Object.entries(near)) expect(viewOf(name), name).toBe(view);
    expect(routeOf('/inspector/wallet/abc', '')).toEqual({ view: 'agents', id: 'abc', query: {} });
  });

  it('are unknown for a view that there is not, and for a path below a thing', () => {
    expect(routeOf('/inspector/nothing', '')).toBeNull();
    expect(routeOf('/inspector/agents/a/b', '')).toBeNull();
    expect(routeOf('/inspectors', '')).toBeNull();
  });

  it('survive a percent sign that encodes nothing', () => {
    expect(routeOf('/inspector/agents/%', '')?.id).toBe('%');
  });

  it('give the same route when they are read again', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter((id) => !/^\.{1,2}$/.test(id));
    forAll(
      fc.constantFrom('', '/w/fork-12'),
      fc.constantFrom(...VIEW_NAMES),
      fc.option(text),
      fc.dictionary(text, text),
      (mount, view, id, query) => {
        const route = { view, id, query };
        const url = new URL(pathOf(mount, route), 'http://127.0.0.1');
        expect(mountOf(url.pathname)).toBe(mount);
        expect(routeOf(url.pathname, url.search)).toEqual(route);
      },
    );
  });
});
