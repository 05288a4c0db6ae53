import { z } from 'zod';
import { seriesPoint } from '../../runtime/config.js';
import { SERIES_COLUMNS } from '../../world/series-csv.js';
import { instant } from '../../runtime/inspection/queries.js';
import { duration, token, get, post } from './command.js';
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

/** Runs a change of the oracle; responds with the rates and prices after it. */
const changing =
  <B>(change: (oracle: ControlWorld['oracle'], body: B) => void) =>
  (world: ControlWorld, { body }: { readonly body: B }) => {
    change(world.oracle, body);
    return rates(world);
  };

const beginning = {
  from: instant.optional().describe('when it takes effect, ISO 8601 (default: now)'),
  in: duration.optional().describe('or the duration until it takes effect, such as 30d'),
};
const points = z.array(seriesPoint).min(1).max(20_000);

export const ORACLE = {
  oracle: get('/oracle', {
    summary: 'Show rates and prices, their age, and scheduled changes',
    run: rates,
  }),
  setApy: post('/oracle/apy', {
    summary: 'Set a savings rate from now or a later instant: a rate (1.7%, or 0.017), a series or a walk',
    body: z.strictObject({
      token,
      source: rate.describe('5%, 0.05, or JSON of a series or a walk'),
      ...beginning,
    }),
    run: changing((oracle, body) => oracle.setApy(body.token, body.source, body)),
  }),
  setPrice: post('/oracle/price', {
    summary: 'Set a USD price from now or a later instant: a number, a series or a walk',
    body: z.strictObject({
      token,
      source: price.describe('USD such as 120, or JSON of a series or a walk'),
      ...beginning,
    }),
    run: changing((oracle, body) => oracle.setPrice(body.token, body.source, body)),
  }),
  loadSeries: post('/oracle/series', {
    summary: `Follow a series file, as CSV text or by column: ${SERIES_COLUMNS.join(', ')}`,
    body: z.union([
      z.strictObject({
        csv: z.string().describe('header time,usdc_apy,… and a line for each instant'),
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
    run: changing((oracle, { from, in: delay, ...body }) =>
      oracle.load('csv' in body ? body.csv : body.series, { from, in: delay }),
    ),
  }),
  setOutage: post('/oracle/outage', {
    summary: 'Start or end an oracle outage, during which prices and rates are unavailable',
    body: z.strictObject({ out: z.boolean().describe('true starts an outage, false ends it') }),
    run: changing((oracle, { out }) => oracle.setOutage(out)),
  }),
  setStale: post('/oracle/stale', {
    summary: 'Freeze all values, or resume updates',
    body: z.strictObject({ stale: z.boolean().describe('true freezes the values, false resumes updates') }),
    run: changing((oracle, { stale }) => oracle.setStale(stale)),
  }),
};
