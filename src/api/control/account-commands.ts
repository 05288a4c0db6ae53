import { z } from 'zod';
import { addressedAccount } from '../../runtime/accounts/account-json.js';
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
      'Write accounts directly, all or none, bypassing transaction rules; null removes an account. Refused for programs, and for accounts of Solana and of the bank',
    body: z.strictObject({ accounts: z.array(addressedAccount).min(1).max(1_000) }),
    run: async (world, { body }) => {
      await world.accounts.write(body.accounts);
      return { accounts: body.accounts.map(({ pubkey }) => pubkey) };
    },
  }),
};
