import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ControlClient } from '../../src/api/control/client.js';
import type { SimulatorOptions } from '../../src/runtime/config.js';
import type { SimulatorHooks } from '../../src/simulator/simulator.js';
import { ENGINES, RawCaller, agentWith, world, worldWithControl } from '../support/world.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { dumpOf } from '../support/dump.js';

/** A world with a history, a client of its control interface, and a caller with 100 USDC in checking. */
async function withHistory(options: SimulatorOptions = {}, hooks: SimulatorHooks = {}) {
  const { sim, control } = await worldWithControl({ history: 200, ...options }, hooks);
  await agentWith(sim, 0, { usdc: 100 });
  return { sim, control, agent: await RawCaller.signedIn(sim, 0) };
}

const withdraw = (by: RawCaller, amount: number) =>
  by.post('/agent/account/withdraw', { amount, token: 'USDC' });

describe.each(ENGINES)('the snapshots before requests on %s', (engine) => {
  it('lead back to before a refused call, and a fork from there lets it succeed', async () => {
    const { sim, control, agent } = await withHistory({ engine });
    const before = await dumpOf(sim);
    const refused = await withdraw(agent, 150);
    expect(refused.body.code).toBe('insufficient_balance');
    await withdraw(agent, 60);
    const requestId = refused.headers.get('x-request-id') ?? '';
    const { id } = await control.do('fork', { body: { before: requestId } });
    const inFork = new ControlClient({
      origin: `http://sim.local/w/${id}`,
      fetch: (url, init) => sim.fetch(url, init),
    });
    await inFork.do('deposit', {
      body: { wallet: sim.wallets[0]?.address ?? '', amount: 100, token: 'USDC' },
    });
    const again = await sim.fetch(`/w/${id}/api/v1/agent/account/withdraw`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.token}` },
      body: JSON.stringify({ amount: 150, token: 'USDC' }),
    });
    expect(again.status).toBe(200);
    expect(await inFork.do('invariants')).toEqual({ violations: [] });
    await control.do('revertBefore', { id: requestId });
    expect(await dumpOf(sim)).toBe(before);
    expect(await sim.invariants()).toEqual([]);
  });

  it('are found by the number of any event of a request, and a revert can be reverted', async () => {
    const { sim, control, agent } = await withHistory({ engine });
    const before = await dumpOf(sim);
    await withdraw(agent, 10);
    const after = await dumpOf(sim);
    const { events } = await control.do('events', { query: { limit: 1_000 } });
    const entry = events.findLast(({ kind }) => kind === 'entry');
    await control.do('revertBefore', { id: String(entry?.['seq']) });
    expect(await dumpOf(sim)).toBe(before);
    const { requests } = await control.do('history');
    expect(requests[0]).toMatchObject({ operation: 'revertBefore', status: 200 });
    await control.do('revertBefore', { id: requests[0]?.requestId ?? '' });
    expect(await dumpOf(sim)).toBe(after);
  });

  it('restore what a request found while another was in flight, with its books sound', async () => {
    let isOpen = true;
    let open = () => undefined as void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const aroundTransfer = () => (isOpen ? undefined : opened);
    const { sim, control, agent } = await withHistory({ engine }, { aroundTransfer });
    const other = await agentWith(sim, 1, { usdc: 50 });
    isOpen = false;
    const slow = withdraw(agent, 60);
    while ((await control.do('journalEntries', { query: { status: 'pending' } })).entries.length === 0);
    await other.depositSavings({ amount: 20, token: 'USDC' });
    isOpen = true;
    open();
    expect((await slow).status).toBe(200);
    const { requests } = await control.do('history');
    const saved = requests.find(({ operation }) => operation === 'savingsDeposit');
    await control.do('revertBefore', { id: saved?.requestId ?? '' });
    expect(await sim.invariants()).toEqual([]);
    expect((await other.account()).savings.usdc).toBe(0);
    expect((await control.do('journalEntries', { query: { status: 'pending' } })).entries).toEqual([]);
    const fork = await sim.fork({ before: saved?.requestId ?? '' });
    expect(await fork.invariants()).toEqual([]);
    await fork.close();
  });
});

describe('the snapshots before requests', () => {
  it('are at most as many as the option history says, and none for 0', async () => {
    const { control, agent } = await withHistory({ history: 3 });
    for (let at = 0; at < 5; at += 1) await withdraw(agent, 1);
    const kept = await control.do('history');
    expect(kept).toMatchObject({ limit: 3, size: 3, next: null });
    const oldest = kept.requests.at(-1)?.requestId ?? '';
    const [, number = ''] = oldest.split('_');
    const dropped = `req_${String(Number(number) - 1).padStart(8, '0')}`;
    await expect(control.do('revertBefore', { id: dropped })).rejects.toMatchObject({
      status: 404,
      code: 'snapshot_not_found',
    });
    const none = await withHistory({ history: 0 });
    const last = await withdraw(none.agent, 1);
    expect(await none.control.do('history')).toMatchObject({ limit: 0, requests: [] });
    await expect(
      none.control.do('revertBefore', { id: last.headers.get('x-request-id') ?? '' }),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('--history') as unknown });
  });

  it('do not count against the limit snapshots', async () => {
    const { sim, agent } = await withHistory({ limits: { snapshots: 1 } });
    await withdraw(agent, 1);
    await withdraw(agent, 1);
    expect(await sim.snapshot()).toBe('snapshot-1');
    expect(sim.snapshots()).toEqual(['snapshot-1']);
  });

  it('are those before the next write for a read, unless time has changed the world in between', async () => {
    const { sim, control, agent } = await withHistory({ variants: { withdrawals: 'queued' } });
    const before = await dumpOf(sim);
    const read = (await agent.get('/agent/account')).headers.get('x-request-id') ?? '';
    await expect(sim.fork({ before: read })).rejects.toThrow(
      `nothing was written since ${read}: only the time has changed`,
    );
    await withdraw(agent, 5);
    const later = (await agent.get('/agent/account')).headers.get('x-request-id') ?? '';
    await sim.advance('1d');
    await withdraw(agent, 6);
    await expect(control.do('revertBefore', { id: later })).rejects.toMatchObject({ status: 404 });
    await control.do('revertBefore', { id: read });
    expect(await dumpOf(sim)).toBe(before);
  });

  it('leave a fault rule with the calls that it met before the request', async () => {
    const { sim, control, agent } = await withHistory();
    sim.faults.add({ endpoint: 'withdraw', effect: 'chain-unavailable', when: { nth: 1 } });
    const first = await withdraw(agent, 1);
    expect([first.status, (await withdraw(agent, 1)).status]).toEqual([500, 200]);
    await control.do('revertBefore', { id: first.headers.get('x-request-id') ?? '' });
    expect((await withdraw(agent, 1)).status).toBe(500);
  });

  it('refuse unknown, foreign and hostile references with a sentence', async () => {
    const { control } = await withHistory();
    for (const id of ['req_99999999', '999999', '0', '🂡', '../x', '1e9'])
      await expect(control.do('revertBefore', { id })).rejects.toMatchObject({
        status: 404,
        code: expect.stringMatching(/_not_found$/) as unknown,
      });
    const body = { snapshot: 'snapshot-1', before: '1' };
    await expect(control.do('fork', { body })).rejects.toMatchObject({ status: 400 });
    await expect(control.do('history', { query: { cursor: 'x' } })).rejects.toMatchObject({ status: 400 });
    await expect(world({ history: 1e9 })).rejects.toThrow(/history/);
    await expect(world({ history: -1 })).rejects.toThrow(/history/);
  });

  it('end a recording when one is restored, which says so', async () => {
    const { control, agent } = await withHistory();
    await control.do('startRecording');
    const { headers } = await withdraw(agent, 1);
    await control.do('customers');
    expect(await control.do('recording')).toMatchObject({ recording: true });
    const id = headers.get('x-request-id') ?? '';
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    await control.do('revertBefore', { id });
    const ended = `the world was reverted to before ${id}, which a recording cannot represent`;
    expect(await control.do('recording')).toMatchObject({ recording: false, ended });
    expect(said.mock.calls).toEqual([[`agent-bank-sim: the recording in memory has ended: ${ended}`]]);
  });

  it('write a revert into a data folder, and are gone when it is resumed', async () => {
    const dataDir = temporaryFolder();
    const { sim, control, agent } = await withHistory({ dataDir });
    const before = sim.books.entries();
    const { headers } = await withdraw(agent, 10);
    await control.do('revertBefore', { id: headers.get('x-request-id') ?? '' });
    await sim.close();
    const resumed = await world({ dataDir, history: 200 });
    expect(resumed.books.entries()).toBe(before);
    expect(resumed.history()).toMatchObject({ size: 0, limit: 200 });
    expect(await resumed.invariants()).toEqual([]);
  });
});

describe.each(ENGINES)('a comparison of two instants on %s', (engine) => {
  it('names changed balances, loans, accounts, entries and events, in both directions', async () => {
    const { sim, control, agent } = await withHistory({ engine });
    const id = await sim.snapshot();
    expect(await control.do('compare', { query: { from: id } })).toMatchObject({
      totals: [],
      balances: { count: 0 },
      chain: { count: 0 },
      onlyTo: { entries: { count: 0 } },
    });
    const refused = await withdraw(agent, 500);
    await withdraw(agent, 30);
    await sim.advance('1h');
    const shown = await control.do('compare', { query: { from: id } });
    const wallet = sim.wallets[0]?.address;
    expect(shown).toMatchObject({
      time: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' },
      balances: { count: 1, first: [{ wallet, account: 'checking', token: 'USDC', from: 100, to: 70 }] },
      onlyFrom: { entries: { count: 0 }, events: { count: 0 } },
    });
    expect(shown.totals).toContainEqual({ account: 'checking', token: 'USDC', from: 100, to: 70 });
    expect(shown.onlyTo.entries.first.map(({ kind }) => kind)).toContain('outflow.posted');
    expect(shown.onlyTo.events?.first.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['request', 'entry', 'transaction', 'clock']),
    );
    expect(shown.chain.count).toBeGreaterThan(1);
    const back = await control.do('compare', { query: { from: 'now', to: id, limit: 1 } });
    expect(back.onlyFrom.entries).toMatchObject({
      count: shown.onlyTo.entries.count,
      first: [{ kind: 'outflow.pending' }],
    });
    const before = await control.do('compare', {
      query: { from: id, to: refused.headers.get('x-request-id') ?? '' },
    });
    expect(before).toMatchObject({ totals: [], balances: { count: 0 } });
    await expect(control.do('compare', { query: { from: 'nothing' } })).rejects.toMatchObject({
      status: 404,
      message: expect.stringMatching(/no snapshot and no fork nothing; there are now, .*req_/) as string,
    });
  });

  it('distinguishes a fork from its parent', async () => {
    const { sim, control, agent } = await withHistory({ engine });
    const { id, fork } = await sim.openFork();
    await withdraw(agent, 30);
    await (await agentWith(fork, 0)).depositSavings({ amount: 7, token: 'USDC' });
    const shown = await control.do('compare', { query: { from: 'now', to: id } });
    const kinds = (side: typeof shown.onlyTo) => side.entries.first.map(({ kind }) => kind);
    expect(kinds(shown.onlyFrom)).toContain('outflow.pending');
    expect(kinds(shown.onlyTo)).toEqual(['savings.deposit']);
    expect(shown.balances.first).toContainEqual(expect.objectContaining({ from: 70, to: 93 }));
    const operations = (side: typeof shown.onlyTo) =>
      side.events?.first.flatMap(({ kind, operation }) => (kind === 'request' ? [operation] : []));
    expect(operations(shown.onlyFrom)).toEqual(['withdraw']);
    expect(operations(shown.onlyTo)?.at(-1)).toBe('savingsDeposit');
    expect(await sim.compare('now', fork)).toEqual(shown);
    const other = await fork.fork();
    onTestFinished(() => other.close());
    const nested = await sim.compare(fork, other);
    expect(operations(nested.onlyFrom)).toEqual([]);
  });
});
