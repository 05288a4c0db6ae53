import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { aligned } from '../../testing/scenario/reporters/text.js';

const POINTS = {
  points: { type: 'number', describe: 'number of evenly spaced instants, 2 to 1000', default: 20 },
} as const;

function rows(at: readonly string[], columns: readonly (readonly [string, readonly number[]])[]): string {
  return aligned([
    ['at', ...columns.map(([name]) => name)],
    ...at.map((instant, index) => [instant, ...columns.map(([, values]) => `${values[index] ?? ''}`)]),
  ]).join('\n');
}

export const SERIES = commandGroup('series', 'show figures of a running simulator over time', [
  NO_DEFAULT,
  remoteCommand('balanceSeries', {
    command: 'balances',
    options: POINTS,
    examples: [['series balances --account checking --token USDC', 'the sum of all checking balances']],
    print: ({ at, series }) =>
      rows(
        at,
        series.map(({ account, token, values }) => [`${account} ${token}`, values]),
      ),
  }),
  remoteCommand('rateSeries', {
    command: 'rates',
    options: POINTS,
    examples: [['series rates --points 12', 'twelve instants']],
    print: ({ at, series }) =>
      rows(
        at,
        series.map(({ kind, token, values }) => [`${token} ${kind}`, values]),
      ),
  }),
  remoteCommand('requestSeries', {
    command: 'requests',
    options: POINTS,
    examples: [['series requests --from 2026-01-01', 'since that day']],
    print: ({ at, requests, refused }) =>
      rows(at, [
        ['requests', requests],
        ['refused', refused],
      ]),
  }),
]);
