import { describe, expect, it } from 'vitest';
import { memoProgram } from '../../src/chain/programs/memo.js';
import { callOf, failingProgram, programOf } from '../support/programs.js';
import { ENGINES } from '../support/world.js';
import { differencesOf, recordingOf } from './support.js';

const { program, payer, place, account } = programOf('recorded accounts');

describe.each(ENGINES)('a recording of accounts that were written on %s', (engine) => {
  it.each([
    ['after the start', {}],
    [
      'at the start, too',
      { accounts: [account('AAAA')], programs: [{ address: program, file: failingProgram(1) }] },
    ],
  ])('replays without a difference when they were written %s', async (_when, options) => {
    const text = await recordingOf({ engine, ...options }, async ({ control, connection }) => {
      const call = async (note: string) => {
        const { blockhash } = await connection.getLatestBlockhash();
        return connection.sendRawTransaction(callOf(program, payer, { blockhash, note }));
      };
      await control.do('faucet', { body: { address: payer.address, amount: 1, token: 'SOL' } });
      await expect(call('before')).rejects.toThrow();
      await control.do('setAccounts', { body: { accounts: [account('BBBB')] } });
      const file = Buffer.from(memoProgram()).toString('base64');
      await control.do('deployProgram', { body: { address: program, file } });
      await call('after');
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
