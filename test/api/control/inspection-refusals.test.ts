import { describe, expect, it } from 'vitest';
import { COMMANDS, type Command } from '../../../src/api/control/commands.js';
import { dumpOf } from '../../support/dump.js';
import { controlOf } from '../../support/world.js';
import { lived } from './lived.js';

/** Reads that hostile arguments and untouched worlds are tried with. */
const READS = (Object.entries(COMMANDS) as [keyof typeof COMMANDS, Command][]).filter(
  ([, { path, method }]) =>
    method === 'GET' && /^\/(journal|customers|chain|series|history|differences)\b/.test(path),
);

describe('reads of the inspector', () => {
  it('refuse a cursor that the list does not have, rather than begin again at its newest row', async () => {
    const { sim, adaWallet } = await lived({ history: 5 });
    const customer = ['opened', 9e15, 'nobody'];
    const unknown = {
      '/journal/entries': `${sim.books.entries() + 1}`,
      '/journal/entries?order=oldest': '0',
      '/chain/transactions': '999999',
      [`/chain/transactions?address=${adaWallet}`]: '999999',
      [`/customers/${adaWallet}/history`]: '999999',
      '/history': '999999',
      '/customers': Buffer.from(JSON.stringify(customer)).toString('base64url'),
    };
    for (const [path, cursor] of Object.entries(unknown)) {
      const separator = path.includes('?') ? '&' : '?';
      const response = await sim.fetch(`/_sim/v1${path}${separator}cursor=${cursor}`);
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        400,
        { error: expect.stringContaining('cursor: not issued by this list') as unknown },
      ]);
    }
    const { events, next } = await controlOf(sim).do('events', { query: { after: 999_999 } });
    expect([events, next]).toEqual([[], null]);
  });

  it('refuse bad cursors, sizes and instants with a sentence', async () => {
    const { sim } = await lived();
    const get = async (path: string) => {
      const response = await sim.fetch(`/_sim/v1${path}`);
      return { status: response.status, body: (await response.json()) as { error: string; code: string } };
    };
    const history = `/customers/${sim.wallets[0]?.address}/history`;
    const cursors = ['', '🂡', '-1', '1e9', 'WzFd', '9'.repeat(99)].map((cursor) => `cursor=${cursor}`);
    const limits = ['0', '1001', '1&limit=1', 'NaN', '1.5'].map((limit) => `limit=${limit}`);
    const afters = ['after=', 'after=1e1', 'after=1&after=1', 'nonsense=1'];
    const instants = ['from=NaN', 'to=yesterday', 'from=2026-01-01T00:00:00'];
    const names = ['kind=ünknown', 'account=cash', 'token=BTC', 'status=lost', 'wallet=nobody'];
    const ends = ['at=NaN', 'at=', 'entry=-1', 'entry=1e99', 'entry=999999', 'at=2026-01-01&entry=1'];
    const hostile: [path: string, queries: string[]][] = [
      ...['/journal/entries', '/customers', history, '/chain/transactions'].map(
        (path): [string, string[]] => [path, [...cursors, ...limits, 'limit=', 'nonsense=1']],
      ),
      ['/journal', ['limit=1']],
      ['/time', ['nonsense=']],
      ['/events/stream', afters],
      ['/events', ['wallet=nobody', ...limits]],
      ['/journal/entries', [...instants, ...names]],
      ['/journal/balance', ends],
      ['/chain/accounts/nobody', ['']],
      ['/chain/transactions/%00', ['']],
      ['/chain/transactions', ['address=🂡']],
    ];
    for (const [path, queries] of hostile)
      for (const query of queries) {
        const { status, body } = await get(query === '' ? path : `${path}?${query}`);
        expect([path, query, status, body.code]).toEqual([path, query, 400, 'invalid_request']);
        expect(body.error).toMatch(/\w{4,}/);
        if (limits.includes(query) && path !== '/journal')
          expect(body.error).toContain('limit: must be a whole number from 1 to 1000');
      }
  });

  it('throw for an unknown filter or value when they are called in the process', async () => {
    const { sim, adaWallet } = await lived();
    const { customers, books, chain, reviews, series } = sim;
    const history = (query: object) => customers.history(adaWallet, query);
    const cases: [() => unknown, string][] = [
      [() => history({ type: 'withdrawal' }), 'type: cannot be withdrawal; did'],
      [() => history({ constructor: 1 }), 'constructor: there is no such filter'],
      [() => history({ typ: 'x' }), 'typ: there is no such filter; did you mean type?'],
      [() => customers.page({ sort: 'richest' } as object), 'sort: cannot be richest. Allowed: opened'],
      [() => books.page({ kind: 'transfer' } as object), 'kind: cannot be transfer. Allowed: '],
      [() => chain.transactions({ status: 'lost' } as object), 'status: cannot be lost. Allowed: succ'],
      [() => reviews.loans({ limit: -1 }), 'limit must be a whole number from 1 to 1000'],
      [() => customers.page({ limit: 1.5 }), 'limit must be a whole number from 1 to 1000'],
      [() => series.balances({ wallet: 'nobody' }), 'wallet must be a Solana address'],
      [() => series.requests({ wallet: 'nobody' }), 'wallet must be a Solana address'],
      [() => series.rates({ pionts: 5 } as object), 'pionts: there is no such filter; did you mean points?'],
    ];
    for (const [call, message] of cases) {
      expect(call).toThrow(RangeError);
      expect(call).toThrow(message);
    }
    expect(history({ x: undefined })).toEqual(history({}));
  });

  it('need the token when one is set, and change nothing', async () => {
    const { sim, adaWallet } = await lived();
    const { port } = await sim.listen({ controlToken: 'sesame' });
    const signature = sim.chain.transactions().records[0]?.signature ?? '';
    const before = await dumpOf(sim);
    expect(READS.length).toBeGreaterThan(7);
    for (const [name, { path }] of READS) {
      const id = name === 'transaction' ? signature : adaWallet;
      const query = { compare: '?from=now', exportJournal: '?format=csv' }[name as 'compare'] ?? '';
      const url = `http://127.0.0.1:${port}/_sim/v1${path.replace('{id}', id)}${query}`;
      expect((await fetch(url)).status).toBe(401);
      const allowed = await fetch(url, { headers: { authorization: 'Bearer sesame' } });
      expect([name, allowed.status]).toEqual([name, 200]);
      await allowed.text();
      expect(await dumpOf(sim)).toBe(before);
    }
  });
});
