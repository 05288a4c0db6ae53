import { customerQuery, historyQuery } from '../../runtime/inspection/queries.js';
import { get } from './command.js';

export const CUSTOMERS = {
  customers: get('/customers', {
    summary: 'Get a page of customers, with balances, debt, score and last call',
    query: customerQuery,
    run: (world, { query }) => world.customers.page(query),
  }),
  customer: get('/customers/{id}', {
    summary:
      'Show one customer: balances, daily limits, collateral, score with its evidence, loans, history, on-chain balances',
    run: (world, { id }) => world.customers.get(id),
  }),
  customerHistory: get('/customers/{id}/history', {
    summary: "Get a page of a customer's history, newest first",
    query: historyQuery,
    run: (world, { id, query }) => world.customers.history(id, query),
  }),
};
