import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { AgentWallet } from '../../src/sdk/client/wallet.js';
import { differencesOf, laterRecorded, post } from './support.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('recording started in a used world', () => {
  it('lacks earlier snapshots, so that a revert to one differs in replay', async () => {
    const text = await laterRecorded(
      ({ control }) => control.do('snapshot'),
      ({ control }, _known, { id }) => control.do('revert', { id }),
    );
    expect(await differencesOf(text)).toEqual([
      'line 2: control revert: status expected 200, got 400',
      'line 2: control revert: code expected null, got "invalid_request"',
    ]);
  });

  it('lacks earlier forks, so that calls to them differ in replay', async () => {
    const text = await laterRecorded(
      ({ control }) => control.do('fork', { body: {} }),
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

  it('replays sign-ins with earlier challenges and does not contain them', async () => {
    let issued = '';
    const text = await laterRecorded(
      async ({ sim, baseUrl }) => {
        const body = JSON.stringify({ wallet: sim.wallets[1]?.address });
        const response = await fetch(`${baseUrl}/agent/auth/challenge`, {
          method: 'POST',
          headers: JSON_TYPE,
          body,
        });
        return (await response.json()) as { challenge: string };
      },
      async (session, _known, { challenge: message }) => {
        issued = message;
        const { address, secretKey } = session.sim.wallets[1] as { address: string; secretKey: string };
        const proof = AgentWallet.fromSecretKey(secretKey).sign(Buffer.from(message, 'utf8'));
        const body = { wallet: address, message, signature: bs58.encode(proof) };
        expect(await post(session, '/agent/auth/verify', null, JSON.stringify(body))).toBe(200);
        // It can be used once.
        expect(await post(session, '/agent/auth/verify', null, JSON.stringify(body))).toBe(401);
        // A challenge that was never issued.
        const forged = { ...body, message: message.replace(/-[0-9a-f]{8}/, '-00000000') };
        expect(await post(session, '/agent/auth/verify', null, JSON.stringify(forged))).toBe(401);
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
        return post(
          session,
          '/agent/account/withdraw',
          token,
          `{"amount":1,"token":"USDC","memo":"${secretKey}"}`,
        );
      },
    );
    expect(text).toContain('<secret>');
    expect(text).not.toContain(key);
  });
});
