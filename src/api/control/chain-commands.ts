import { checkAddress, isSignature } from '../../core/domain/inputs.js';
import { shortText } from '../../core/domain/short-text.js';
import { transactionQuery } from '../../runtime/inspection/queries.js';
import { NotFound } from '../../runtime/refusals.js';
import { accountDetails, transactionDetails, transactionRow } from './chain-decoding.js';
import { get } from './command.js';

export const CHAIN = {
  transactions: get('/chain/transactions', {
    summary: 'Get a page of the transactions on chain, newest first',
    query: transactionQuery,
    run: (world, { query }) => {
      if (query.address !== undefined) checkAddress(query.address);
      const { records, next, size } = world.chain.transactions(query);
      return { transactions: records.map(transactionRow), next, size };
    },
  }),
  transaction: get('/chain/transactions/{id}', {
    summary: 'Decode a transaction: instructions, logs, balances before and after',
    run: async (world, { id }) => {
      if (!isSignature(id)) throw new RangeError(`not a signature: ${shortText(id)}`);
      const record = world.chain.getTransaction(id);
      if (record === null) throw new NotFound('transaction_not_found', `the chain has no transaction ${id}`);
      return transactionDetails(record, (address) => world.chain.getAccount(address));
    },
  }),
  chainAccount: get('/chain/accounts/{id}', {
    summary: 'Show an account of the chain with its data, parsed if its program is known',
    run: async (world, { id }) => {
      checkAddress(id);
      const account = await world.chain.getAccount(id);
      if (account === null) throw new NotFound('account_not_found', `the chain has no account ${id}`);
      return accountDetails(id, account, (address) => world.chain.getAccount(address));
    },
  }),
};
