import { describe, expect, it } from 'vitest';
import { ControlClient } from '../../../src/api/control/client.js';
import type { Simulator } from '../../../src/simulator/simulator.js';
import { ENGINES, agentWith, world } from '../../support/world.js';
import { valueOf } from '../rpc/support.js';
import { dumpOf } from '../../support/dump.js';

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

  it('rejects malformed bodies with the reason, and unknown paths', async () => {
    const sim = await world();
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await sim.fetch(`/_sim/v1${path}`, init);
      return { status: response.status, ...((await response.json()) as { code?: string; error?: string }) };
    };
    for (const [path, body, says] of [
      ['/time/advance', '', /./],
      [
        '/time/advance',
        '{"until":"loan.du"}',
        /^until: cannot be loan.du; did you mean loan.due\? Allowed: .*loan.due/,
      ],
      ['/time/scale', '{"factor":0}', /factor/],
      ['/faucet', '{"address":"x","amount":1,"token":"BTC"}', /token: cannot be BTC. Allowed: USDC, SOL/],
      ['/faucet', `{"address":"${sim.facts.treasury}","amount":1e30,"token":"SOL"}`, /./],
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
