import { describe, expect, it } from 'vitest';
import { RawCaller } from '../support/world.js';
import { differencesOf, laterRecorded } from './support.js';

describe('recording started in a used world', () => {
  it('lacks earlier snapshots and forks, so that calls to them differ in replay', async () => {
    const text = await laterRecorded(
      async ({ control }) => [await control.do('snapshot'), await control.do('fork', { body: {} })] as const,
      async ({ control }, _known, [snapshot, fork]) => {
        await control.do('revert', { id: snapshot.id });
        await control.do('forks');
        await control.do('dropFork', { id: fork.id });
      },
    );
    expect(await differencesOf(text)).toEqual([
      'line 2: control revert: status expected 200, got 400',
      'line 2: control revert: code expected null, got "invalid_request"',
      'line 3: control forks: forks.length expected 1, got 0',
      'line 4: control dropFork: status expected 200, got 400',
      'line 4: control dropFork: code expected null, got "invalid_request"',
    ]);
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
