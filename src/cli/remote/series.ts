import { number } from '../arguments.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { aligned } from '../../testing/scenario/reporters/text.js';

const POINTS = { points: { ...number('number of evenly spaced instants, 2 to 1000'), default: 20 } };

interface Series {
  readonly at: readonly string[];
  readonly series: readonly { account?: string; token: string; kind?: string; values: readonly number[] }[];
}

/** A row for each instant, with a column for each of the figures. */
const table = ({ at, series }: Series): string =>
  aligned([
    ['at', ...series.map(({ account = '', token, kind = '' }) => `${account} ${token} ${kind}`.trim())],
    ...at.map((instant, row) => [instant, ...series.map(({ values }) => `${values[row] ?? ''}`)]),
  ]).join('\n');

export const SERIES = commandGroup('series', 'show figures of a running simulator over time', [
  NO_DEFAULT,
  remoteCommand('balanceSeries', {
    command: 'balances',
    options: POINTS,
    examples: [['series balances --account checking --token USDC', 'the sum of all checking balances']],
    print: table,
  }),
  remoteCommand('rateSeries', {
    command: 'rates',
    options: POINTS,
    examples: [['series rates --points 12', 'twelve instants']],
    print: table,
  }),
  remoteCommand('requestSeries', {
    command: 'requests',
    options: POINTS,
    examples: [['series requests --from 2026-01-01', 'since that day']],
    print: ({ at, requests, refused }) =>
      table({
        at,
        series: [
          { token: 'requests', values: requests },
          { token: 'refused', values: refused },
        ],
      }),
  }),
]);
