import { z } from 'zod';
import { ACCOUNT_NAMES } from '../../core/domain/entry.js';
import { count, instant, token, get } from './command.js';

const span = {
  from: instant.optional().describe('ISO 8601 (default: the start of the world)'),
  to: instant.optional().describe('ISO 8601 (default: now)'),
  points: count(2, 1_000).optional().describe('number of evenly spaced instants (default 200)'),
};
const wallet = z.string().optional().describe('only of this customer');

/** Commands that return figures over time, for charts. */
export const SERIES = {
  balanceSeries: get('/series/balances', {
    summary: 'Show balances of journal accounts over time: of the bank, or of one customer',
    query: z.strictObject({
      wallet,
      account: z.enum(ACCOUNT_NAMES).optional(),
      token: token.optional(),
      ...span,
    }),
    run: (world, { query }) => world.series.balances(query),
  }),
  rateSeries: get('/series/rates', {
    summary: 'Show savings rates and prices in effect over time',
    query: z.strictObject(span),
    run: (world, { query }) => world.series.rates(query),
  }),
  requestSeries: get('/series/requests', {
    summary: 'Show the number of API calls over time, and the number of refusals (except for expired tokens)',
    query: z.strictObject({ wallet, ...span }),
    run: (world, { query }) => world.series.requests(query),
  }),
};
