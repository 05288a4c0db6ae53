import { z } from 'zod';
import { HISTORY_TYPES } from '../../core/domain/history.js';
import { CUSTOMER_SORTS } from '../../runtime/inspection/customer-list.js';
import { paging, token, get } from './command.js';

export const CUSTOMERS = {
  customers: get('/customers', {
    summary: 'Get a page of customers, with balances, debt, score and last call',
    query: z.strictObject({
      search: z.string().max(100).optional().describe('part of the wallet or of the collection address'),
      sort: z
        .enum(CUSTOMER_SORTS)
        .optional()
        .describe('default opened; balance and savings sort by value in USD'),
      order: z.enum(['desc', 'asc']).optional().describe('default desc'),
      ...paging,
    }),
    run: (world, { query }) => world.customers.page(query),
  }),
  customer: get('/customers/{id}', {
    summary:
      'Show one customer: balances, daily limits, collateral, score with its evidence, loans, history, on-chain balances',
    run: (world, { id }) => world.customers.get(id),
  }),
  customerHistory: get('/customers/{id}/history', {
    summary: "Get a page of a customer's history, newest first",
    query: z.strictObject({ type: z.enum(HISTORY_TYPES).optional(), token: token.optional(), ...paging }),
    run: (world, { id, query }) => world.customers.history(id, query),
  }),
};
