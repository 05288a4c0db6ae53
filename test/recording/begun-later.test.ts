import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RawCaller } from '../support/world.js';
import type { Session } from './session.js';
import { differencesOf, laterRecorded } from './support.js';

describe('recording started in a used world', () => {
  it('lacks earlier forks, so that calls to them differ in replay', async () => {
    const text = await laterRecorded(
      async ({ control }) => control.do('fork', { body: {} }),
      async ({ control }, _known, { id }) => {
        await control.do('forks');
        await control.do('dropFork', { id });
      },
    );
    expect(await differencesOf(text)).toEqual([
      'line 2: control forks: forks.length expected 1, got 0',
      'line 3: control dropFork: status expected 200, got 400',
      'line 3: control dropFork: code expected null, got "invalid_request"',
    ]);
  });

  it.each([
    ['the world was reverted to', ({ control }: Session, id: string) => control.do('revert', { id })],
    ['the world was forked from', ({ sim }: Session, id: string) => sim.openFork(id)],
  ])('ends when %s an earlier snapshot, since a replay has others', async (what, act) => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => said.mockRestore());
    const text = await laterRecorded(
      ({ control }) => control.do('snapshot'),
      async (session, _known, { id }) => {
        const made = await session.control.do('snapshot');
        await session.control.do('fork', { body: { snapshot: made.id } });
        await session.control.do('revert', { id: made.id });
        await act(session, id);
        await session.control.do('time');
      },
    );
    expect(said.mock.calls[0]?.[0]).toContain(`${what} snapshot-1, which a recording cannot represent`);
    expect(text).not.toContain('"command":"time"');
    expect(await differencesOf(text)).toEqual([]);
  });

  it('replays a clock that runs more slowly than a millionth of real time', async () => {
    const text = await laterRecorded(
      ({ control }) => control.do('scale', { body: { factor: 1e-7 } }),
      async (_session, { alice }) => alice.withdraw({ amount: 1, token: 'USDC' }),
    );
    expect(text).toContain('"time":"1e-7x"');
    expect(await differencesOf(text)).toEqual([]);
  });

  it('replays sign-ins with earlier challenges and does not contain them', async () => {
    let issued = '';
    const text = await laterRecorded(
      async ({ sim }) => {
        const wallet = sim.wallets[1]?.address;
        return (await new RawCaller(sim, null).post('/agent/auth/challenge', { wallet })).body;
      },
      async (session, _known, { challenge }) => {
        issued = challenge as string;
        const { wallet } = session.sim.agent(1);
        const body = { wallet: wallet.address, message: issued, signature: wallet.signText(issued) };
        const verify = (proof: object) => session.post('/agent/auth/verify', JSON.stringify(proof), null);
        expect(await verify(body)).toBe(200);
        // It can be used once.
        expect(await verify(body)).toBe(401);
        // A challenge that was never issued.
        expect(await verify({ ...body, message: issued.replace(/-[0-9a-f]{8}/, '-00000000') })).toBe(401);
      },
    );
    expect(await differencesOf(text)).toEqual([]);
    expect(text).not.toContain(JSON.stringify(issued).slice(1, -1));
    expect(text).toMatch(/"message":"<challenge \d+ of [^"]+>","signature":"<signed>"/);
    expect(text).toContain('<unknown challenge>');
  });

  it('replays calls with an earlier token, before and after it expires', async () => {
    const text = await laterRecorded(
      async () => undefined,
      async (session, { token }) => {
        const headers = { authorization: `Bearer ${token}` };
        expect(await session.raw('GET', '/agent/account', { headers })).toBe(200);
        await session.control.do('advance', { body: { by: '25h' } });
        expect(await session.raw('GET', '/agent/account', { headers })).toBe(401);
      },
    );
    expect(await differencesOf(text)).toEqual([]);
    expect(text).toContain('"auth":"expired"');
  });

  it('redacts secret keys of earlier wallets', async () => {
    let key = '';
    const text = await laterRecorded(
      ({ control }) => control.do('createWallet', { body: {} }),
      (session, { token }, { secretKey }) => {
        key = secretKey;
        const body = `{"amount":1,"token":"USDC","memo":"${secretKey}"}`;
        return session.post('/agent/account/withdraw', body, token);
      },
    );
    expect(text).toContain('<secret>');
    expect(text).not.toContain(key);
  });
});
