import { z } from 'zod';
import { addressedAccount, programJson } from '../../runtime/accounts/account-json.js';
import { get, post } from './command.js';

export const ACCOUNTS = {
  account: get('/accounts/{id}', {
    summary:
      'Show the account at an address in the form of `solana account --output json`; null when it does not exist',
    run: (world, { id }) => world.accounts.get(id),
  }),
  setAccounts: post('/accounts', {
    isGated: true,
    maxBytes: 'accountBodyBytes',
    summary:
      'Write accounts directly, all or none, bypassing transaction rules; null removes an account. Refused for accounts of Solana and of the bank',
    body: z.strictObject({ accounts: z.array(addressedAccount).min(1).max(1_000) }),
    run: async (world, { body }) => {
      await world.accounts.write(body.accounts);
      return { accounts: body.accounts.map(({ pubkey }) => pubkey) };
    },
  }),
  deployProgram: post('/programs', {
    isGated: true,
    maxBytes: 'accountBodyBytes',
    summary: 'Deploy or upgrade a program at an address; without an upgrade authority it is final',
    body: programJson,
    run: async (world, { body: { address, file, upgradeAuthority } }) => {
      await world.accounts.deploy(address, file, upgradeAuthority);
      return { address, bytes: file.length };
    },
  }),
};
