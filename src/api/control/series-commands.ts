import { balanceSeriesQuery, requestSeriesQuery, seriesSpan } from '../../runtime/inspection/queries.js';
import { get } from './command.js';

/** Commands that return figures over time, for charts. */
export const SERIES = {
  balanceSeries: get('/series/balances', {
    summary: 'Show balances of journal accounts over time: of the bank, or of one customer',
    query: balanceSeriesQuery,
    run: (world, { query }) => world.series.balances(query),
  }),
  rateSeries: get('/series/rates', {
    summary: 'Show savings rates and prices in effect over time',
    query: seriesSpan,
    run: (world, { query }) => world.series.rates(query),
  }),
  requestSeries: get('/series/requests', {
    summary: 'Show the number of API calls over time, and the number of refusals (except for expired tokens)',
    query: requestSeriesQuery,
    run: (world, { query }) => world.series.requests(query),
  }),
};
