import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../../src/api/control/client.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { dumpOf } from '../../support/dump.js';
import { ENGINES, agentWith, expectRefusal, world } from '../../support/world.js';
import { valueOf } from '../rpc/support.js';

/** A client over HTTP on loopback. */
async function controlled(sim: Simulator, options: { controlToken?: string; host?: string } = {}) {
  const { port } = await sim.listen(options);
  const { controlToken: token } = options;
  return { control: new ControlClient({ origin: `http://127.0.0.1:${port}/api/v1`, token }), port };
}

const statusOf = async (port: number, headers: Record<string, string>) =>
  (await fetch(`http://127.0.0.1:${port}/_sim/v1/time`, { headers })).status;

it('shows the variants of the service and the holdings of a wallet, and refuses those of a text that is no address', async () => {
  const sim = await world({ variants: { overview: 'A' } });
  const { control } = await controlled(sim);
  expect(await control.do('variants')).toEqual(sim.config.variants);
  const { address: id } = (await agentWith(sim, 0, { usdc: 100 })).wallet;
  expect(await control.do('holdings', { id })).toMatchObject({
    wallet: id,
    chain: { SOL: 999.999995, USDC: 99_900 },
    accounts: { checking: { SOL: 0, USDC: 100 } },
  });
  await expect(control.do('holdings', { id: 'O0' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'not a Solana address: O0',
  });
});

describe.each(ENGINES)('control interface on %s', (engine) => {
  it('advances time by a duration or until an event, and reports the due events that ran', async () => {
    const sim = await world({ engine, startTime: '2026-01-01T00:00:00Z', variants: { review: 'auto' } });
    const { control } = await controlled(sim);
    expect(await control.do('time')).toEqual({
      now: '2026-01-01T00:00:00.000Z',
      mode: 'frozen',
      factor: 0,
      slot: 0,
    });
    const agent = await agentWith(sim, 0, { usdc: 1_000 });
    await agent.depositSavings({ amount: 500, token: 'USDC' });
    const day = await control.do('advance', { body: { by: '1d' } });
    expect(day).toMatchObject({
      now: '2026-01-02T00:00:00.000Z',
      reached: true,
      fired: [{ kind: 'savings.settled', at: '2026-01-02T00:00:00.000Z' }],
    });
    await agent.applyForLoan({ amount: 100, purpose: 'task', duration: 30 });
    const [loan] = (await agent.loans()).loans;
    const due = await control.do('advance', { body: { until: 'loan.due' } });
    expect(due).toMatchObject({ reached: true, now: '2026-02-01T00:00:00.000Z' });
    expect(due.fired.at(-1)).toMatchObject({ kind: 'loan.due', subject: loan?.id });
    const never = await control.do('advance', { body: { until: 'withdrawal.failed', within: '10d' } });
    expect(never).toMatchObject({ reached: false, now: '2026-02-11T00:00:00.000Z' });
    expect(await control.do('advance', { body: { to: '2026-03-01T00:00:00Z' } })).toMatchObject({
      now: '2026-03-01T00:00:00.000Z',
    });
    const back = control.do('advance', { body: { to: '2026-01-01T00:00:00Z' } });
    await expectRefusal(back, 'cannot run backwards');
    expect(await control.do('scale', { body: { factor: 60 } })).toMatchObject({ mode: 'scaled', factor: 60 });
    expect(await control.do('run')).toMatchObject({ mode: 'real', factor: 1 });
    expect(await control.do('freeze')).toMatchObject({ mode: 'frozen', factor: 0 });
    expect(await control.do('invariants')).toEqual({ violations: [] });
  });

  it('funds, sets and creates wallets while the books equal the chain', async () => {
    const sim = await world({ engine });
    const { control } = await controlled(sim);
    const made = await control.do('createWallet', { body: { SOL: 2, USDC: 30 } });
    expect(made.balances).toEqual({ SOL: 2, USDC: 30 });
    const half = await control.do('createWallet', { body: { SOL: 0, USDC: 5 } });
    expect(half.balances).toEqual({ SOL: 0, USDC: 5 });
    const { address } = made;
    const give = async (amount: number, more: { address?: string; network?: 'devnet' } = {}) =>
      (await control.do('faucet', { body: { address, amount, token: 'USDC', ...more } })).balances;
    const set = async (amount: number, token: 'USDC' | 'SOL', to = address) =>
      (await control.do('setBalance', { body: { address: to, amount, token } })).balances;
    expect(await give(5)).toMatchObject({ USDC: 35 });
    expect(await give(5, { network: 'devnet' })).toMatchObject({ USDC: 35 });
    expect(await set(0.5, 'SOL')).toEqual({ SOL: 0.5, USDC: 35 });
    expect(await set(7, 'USDC')).toEqual({ SOL: 0.5, USDC: 7 });
    expect(await set(0, 'SOL')).toEqual({ SOL: 0, USDC: 7 });
    await expect(set(1, 'SOL', sim.facts.treasury)).rejects.toThrow('belongs to the bank');
    const unknown = { status: 400, message: 'not a Solana address: nobody' };
    await expect(give(1, { address: 'nobody' })).rejects.toMatchObject(unknown);
    const supply = async () =>
      BigInt((await valueOf<{ amount: string }>(sim, 'getTokenSupply', sim.facts.usdcMint)).amount);
    const before = await supply();
    await set(10, 'USDC');
    expect((await supply()) - before).toBe(3_000_000n);
    const { wallets } = await control.do('wallets');
    expect(wallets).toHaveLength(12);
    expect(wallets[10]).toMatchObject({ address, secretKey: made.secretKey });
    expect(wallets[0]).toMatchObject({
      secretKey: sim.wallets[0]?.secretKey,
      balances: { SOL: 1_000, USDC: 100_000 },
    });
    expect(await control.do('invariants')).toEqual({ violations: [] });
  });
});

describe('control interface', () => {
  it('reverts to a snapshot until it is deleted', async () => {
    const sim = await world();
    const { control } = await controlled(sim);
    const { id } = await control.do('snapshot');
    expect(await control.do('snapshots')).toEqual({ snapshots: [id] });
    await control.do('revert', { id });
    await control.do('dropSnapshot', { id });
    await expect(control.do('revert', { id })).rejects.toMatchObject({
      message: `unknown snapshot ${id}; known, latest first: none`,
    });
  });

  it('runs overdue due events before it responds', async () => {
    const sim = await world({ variants: { withdrawals: 'queued' }, withdrawalDelay: '1s', time: '1000x' });
    const { control } = await controlled(sim);
    const agent = await agentWith(sim, 0, { usdc: 10 });
    await agent.withdraw({ amount: 4, token: 'USDC' });
    const from = sim.now().getTime();
    while (sim.now().getTime() < from + 2_000) await new Promise((resolve) => setImmediate(resolve));
    const { wallets } = await control.do('wallets');
    expect(wallets[0]?.balances.USDC).toBe(99_994);
  });

  it('rejects malformed bodies with the reason, and unknown paths', async () => {
    const sim = await world();
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await sim.fetch(`/_sim/v1${path}`, init);
      return { status: response.status, ...((await response.json()) as { code?: string; error?: string }) };
    };
    for (const [path, body, says] of [
      ['/time/advance', '{}', /./],
      ['/time/advance', '{"by":"soon"}', /not a duration: soon/],
      [
        '/time/advance',
        '{"until":"loan.du"}',
        /^until: cannot be loan.du; did you mean loan.due\? Allowed: .*loan.due/,
      ],
      ['/time/scale', '{"factor":0}', /factor/],
      ['/faucet', '{"address":"x","amount":1,"token":"BTC"}', /token: cannot be BTC. Allowed: USDC, SOL/],
      ['/faucet', `{"address":"${sim.facts.treasury}","amount":1e30,"token":"SOL"}`, /./],
      ['/oracle/apy', '{"token":"USDC","source":-1}', /./],
      ['/snapshots/none/revert', '', /^unknown snapshot none; known, latest first: none$/],
    ] as const)
      expect(await ask(path, { method: 'POST', body })).toMatchObject({
        status: 400,
        code: 'invalid_request',
        error: expect.stringMatching(says) as string,
      });
    const broken = await ask('/time/advance', { method: 'POST', body: '{' });
    expect(broken).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(await ask('/nonsense')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await sim.invariants()).toEqual([]);
  });

  it('exports and imports state files, and rejects invalid ones with their own codes', async () => {
    const sim = await world();
    const { control, port } = await controlled(sim, { controlToken: 'open sesame' });
    await agentWith(sim, 0, { usdc: 100 });
    const state = await control.do('exportState');
    expect(Buffer.compare(state, await sim.exportState())).toBe(0);
    await control.do('advance', { body: { by: '30d' } });
    expect(await control.do('importState', { bytes: state })).toMatchObject({
      now: '2026-01-01T00:00:00.000Z',
      mode: 'frozen',
      entries: sim.books.entries(),
    });
    const dump = await dumpOf(sim);
    const other = await world({ seed: 'another' });
    for (const [bytes, code] of [
      [Buffer.from('something else'), 'not_a_state'],
      [new Uint8Array(0), 'not_a_state'],
      [state.subarray(0, -1), 'state_damaged'],
      [Buffer.concat([Buffer.from('agent-bank-sim state 7\n'), state]), 'state_of_another_version'],
      [await other.exportState(), 'state_of_another_world'],
    ] as const)
      await expect(control.do('importState', { bytes })).rejects.toMatchObject({ status: 400, code });
    expect(await dumpOf(sim)).toBe(dump);
    expect(
      sim.events.page({ after: 0, limit: 1_000, kind: 'world' }).events.map(({ body }) => body),
    ).toContainEqual(expect.objectContaining({ what: 'imported' }));
    expect((await fetch(`http://127.0.0.1:${port}/_sim/v1/state`)).status).toBe(401);
    const answer = await fetch(`http://127.0.0.1:${port}/_sim/v1/state?withKeys=true`, {
      headers: { authorization: 'Bearer open sesame' },
    });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect((await answer.arrayBuffer()).byteLength).toBe(state.length);
  });

  it('rejects foreign origins, and requires a token beyond loopback', async () => {
    const sim = await world();
    const { port } = await controlled(sim);
    expect(await statusOf(port, { origin: 'http://localhost:5173' })).toBe(200);
    for (const origin of ['https://evil.example', 'null'])
      expect(await statusOf(port, { origin }), origin).toBe(403);
    const wide = await controlled(sim, { host: '0.0.0.0' });
    expect(await statusOf(wide.port, {})).toBe(403);
    const guarded = await controlled(sim, { host: '0.0.0.0', controlToken: 'open sesame' });
    expect(await guarded.control.do('time')).toMatchObject({ mode: 'frozen' });
    for (const authorization of ['Bearer open sesam', 'open sesame'])
      expect(await statusOf(guarded.port, { authorization })).toBe(401);
    const wrong = new ControlClient({ origin: `http://127.0.0.1:${guarded.port}`, token: 'guess' });
    const refusal = { code: 'control_token_required' };
    await expect(wrong.do('advance', { body: { by: '1d' } })).rejects.toMatchObject(refusal);
  });
});
