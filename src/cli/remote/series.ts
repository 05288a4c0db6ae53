import { ACCOUNT_NAMES } from '../../core/domain/entry.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { table } from './table.js';

const SPAN = {
  from: { type: 'string', describe: 'ISO 8601 (default: the start of the world)' },
  to: { type: 'string', describe: 'ISO 8601 (default: now)' },
  points: { type: 'number', describe: 'evenly spaced instants, 2 to 1000', default: 20 },
} as const;
const WALLET = { type: 'string', describe: 'only of this customer' } as const;

function rows(at: readonly string[], columns: readonly (readonly [string, readonly number[]])[]): string {
  return table([
    ['at', ...columns.map(([name]) => name)],
    ...at.map((instant, index) => [instant, ...columns.map(([, values]) => `${values[index] ?? ''}`)]),
  ]).join('\n');
}

export const SERIES = commandGroup('series', 'show figures of a running simulator over time', [
  remoteCommand({
    command: 'balances',
    describe: 'balances of journal accounts, of the bank or of one customer',
    options: {
      wallet: WALLET,
      account: { choices: ACCOUNT_NAMES },
      token: { choices: ['USDC', 'SOL'] },
      ...SPAN,
    },
    examples: [['series balances --account checking --token USDC', 'what all agents can spend']],
    call: (control, { wallet, account, token, from, to, points }) =>
      control.do('balanceSeries', { query: { wallet, account, token, from, to, points } }),
    print: ({ at, series }) =>
      rows(
        at,
        series.map(({ account, token, values }) => [`${account} ${token}`, values]),
      ),
  }),
  remoteCommand({
    command: 'rates',
    describe: 'savings rates and prices, as they were in effect',
    options: SPAN,
    examples: [['series rates --points 12', 'twelve instants']],
    call: (control, { from, to, points }) => control.do('rateSeries', { query: { from, to, points } }),
    print: ({ at, series }) =>
      rows(
        at,
        series.map(({ kind, token, values }) => [`${token} ${kind}`, values]),
      ),
  }),
  remoteCommand({
    command: 'requests',
    describe: 'calls to the API, and how many of them were refused',
    options: { wallet: WALLET, ...SPAN },
    examples: [['series requests --from 2026-01-01', 'since that day']],
    call: (control, { wallet, from, to, points }) =>
      control.do('requestSeries', { query: { wallet, from, to, points } }),
    print: ({ at, requests, refused }) =>
      rows(at, [
        ['requests', requests],
        ['refused', refused],
      ]),
  }),
]);
