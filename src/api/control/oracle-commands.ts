import { z } from 'zod';
import { seriesPoint, valueSource } from '../../runtime/config.js';
import { SERIES_COLUMNS } from '../../world/series-csv.js';
import { command, count, duration, instant, token } from './command.js';
import { price, rate } from './rate.js';
import type { ControlWorld } from './world.js';

const rates = ({ oracle }: ControlWorld) => ({
  apy: { USDC: oracle.apy('USDC'), SOL: oracle.apy('SOL') },
  usd: { USDC: oracle.price('USDC'), SOL: oracle.price('SOL') },
  outage: oracle.isOut(),
  stale: oracle.isStale(),
  asOf: oracle.asOf().toISOString(),
  planned: oracle.planned(),
});

const beginning = {
  from: instant.optional().describe('from when on; now when left out'),
  in: duration.optional().describe('or how long from now'),
};
const kind = z.enum(['apy', 'usd']).describe('apy: what savings earn; usd: what a token is worth');
const points = z.array(seriesPoint).min(1).max(20_000);
const span = {
  from: instant.optional().describe("the world's beginning when left out"),
  to: instant.optional().describe('now when left out'),
  limit: count(1, 10_000).optional().describe('instants looked at; 1000 when left out'),
};

/** Rates and prices. */
export const ORACLE = {
  oracle: command({
    method: 'GET',
    path: '/oracle',
    summary: 'Rates and prices, of when they are, and what is planned',
    run: rates,
  }),
  setApy: command({
    method: 'POST',
    path: '/oracle/apy',
    summary:
      'What savings earn from now or an instant on: a rate (1.7%, or 0.017), a series, a walk or a curve',
    body: z.strictObject({ token, source: rate(valueSource), ...beginning }),
    run: (world, { body }) => {
      world.oracle.setApy(body.token, body.source, body);
      return rates(world);
    },
  }),
  setPrice: command({
    method: 'POST',
    path: '/oracle/price',
    summary: 'What a token is worth in USD from now or an instant on: a number, a series or a walk',
    body: z.strictObject({ token, source: price, ...beginning }),
    run: (world, { body }) => {
      world.oracle.setPrice(body.token, body.source, body);
      return rates(world);
    },
  }),
  loadSeries: command({
    method: 'POST',
    path: '/oracle/series',
    summary: `Follow a series file, as CSV text or by column: ${SERIES_COLUMNS.join(', ')}`,
    body: z.union([
      z.strictObject({
        csv: z.string().describe('time,usdc_apy,… then a line for each instant'),
        ...beginning,
      }),
      z.strictObject({
        series: z.strictObject({
          usdc_apy: points.optional(),
          sol_apy: points.optional(),
          usdc_usd: points.optional(),
          sol_usd: points.optional(),
        }),
        ...beginning,
      }),
    ]),
    run: (world, { body }) => {
      world.oracle.load('csv' in body ? body.csv : body.series, body);
      return rates(world);
    },
  }),
  setOutage: command({
    method: 'POST',
    path: '/oracle/outage',
    summary: 'Begin or end an outage: nothing can be priced and rates are not told',
    body: z.strictObject({ out: z.boolean() }),
    run: (world, { body }) => {
      world.oracle.setOutage(body.out);
      return rates(world);
    },
  }),
  setStale: command({
    method: 'POST',
    path: '/oracle/stale',
    summary: 'Let every value stand still, or follow its source again',
    body: z.strictObject({ stale: z.boolean() }),
    run: (world, { body }) => {
      world.oracle.setStale(body.stale);
      return rates(world);
    },
  }),
  oracleHistory: command({
    method: 'GET',
    path: '/oracle/history',
    summary:
      'What a value really was: its value at the beginning of the span, then each change, oldest first',
    query: z.strictObject({ token, kind, ...span }),
    run: (world, { query }) => world.oracle.history(query.token, query.kind, query),
  }),
  oracleHistoryCsv: command({
    method: 'GET',
    path: '/oracle/history/csv',
    summary: 'The same of all values, or of a token or kind, as a series file, exact to the last digit',
    query: z.strictObject({ token: token.optional(), kind: kind.optional(), ...span }),
    run: (world, { query }) => world.oracle.historyCsv(query),
  }),
};
