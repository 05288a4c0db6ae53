import { describe, expect, it } from 'vitest';
import { ENGINES } from '../support/world.js';
import { placeOf } from '../support/programs.js';
import { differencesOf, recordingOf } from './support.js';

const { place, account } = placeOf('recorded accounts');

describe.each(ENGINES)('a recording of accounts that were written on %s', (engine) => {
  it('replays without a difference on both engines', async () => {
    const text = await recordingOf({ engine }, async ({ control }) => {
      await control.do('setAccounts', { body: { accounts: [account('BBBB')] } });
      await control.do('account', { id: place });
      const more = { body: { accounts: [{ pubkey: place, account: null }] } };
      await control.do('setAccounts', more);
      await expect(
        control.do('setAccounts', { body: { accounts: [account('not base64')] } }),
      ).rejects.toThrow();
      await control.do('account', { id: place });
    });
    expect(await differencesOf(text, 'bankrun')).toEqual([]);
    expect(await differencesOf(text, 'litesvm')).toEqual([]);
  });
});
