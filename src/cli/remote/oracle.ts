import type { AnswerOf, Ask } from '../../api/control/client.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError, parsedJson } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

function ratesLine({ apy, usd, outage, stale, asOf, planned }: AnswerOf<'oracle'>): string {
  const now = `USDC earns ${apy.USDC}, is worth ${usd.USDC} USD; SOL earns ${apy.SOL}, is worth ${usd.SOL} USD`;
  const notes = [outage ? '; oracle outage' : '', stale ? `; stale, of ${asOf}` : ''].join('');
  const later = planned.map(
    ({ at, kind, token }) => `scheduled for ${at}: new ${kind === 'usd' ? 'price' : 'rate'} of ${token}`,
  );
  return [`${now}${notes}`, ...later].join('\n');
}

const setting = (
  id: 'setApy' | 'setPrice',
  command: string,
  examples: readonly (readonly [command: string, meaning: string])[],
) =>
  remoteCommand(id, {
    command: `${command} <token> [source]`,
    examples,
    call: async (control, ask) => {
      if (ask.body?.source === undefined)
        throw new UsageError('give a source: a number, a percentage, or JSON of a series or a walk');
      return control.do(id, ask);
    },
    print: ratesLine,
  });

const LOAD = remoteCommand('loadSeries', {
  command: 'load <file>',
  describe: 'use the rates and prices of a CSV or JSON series file; - for stdin',
  omit: ['csv', 'series'],
  options: { file: { type: 'string', demandOption: true } },
  examples: [['oracle load fixtures/rates-2026.csv', 'a year of rates and prices']],
  call: async (control, { body }, { file }) =>
    control.do('loadSeries', { body: { ...body, ...seriesIn(file) } }),
  print: ratesLine,
});

type Series = NonNullable<Ask<'loadSeries'>['body']>;

function seriesIn(file: string): Series {
  const text = readUserText(file);
  return text.trimStart().startsWith('{') ? { series: parsedJson(file, text) as never } : { csv: text };
}

export const ORACLE = commandGroup('oracle', 'show or set rates and prices of a running simulator', [
  remoteCommand('oracle', {
    command: ['show', '$0'],
    examples: [['oracle', 'current rates and prices']],
    print: ratesLine,
  }),
  setting('setApy', 'apy', [
    ['oracle apy USDC 5%', '5 % a year; the same as 0.05'],
    ['oracle apy USDC 3% --in 30d', 'takes effect in 30 days; --from takes an instant'],
  ]),
  setting('setPrice', 'price', [
    ['oracle price SOL 120', '120 USD'],
    [
      `oracle price SOL --source '{"walk":{"start":120,"every":"1h","step":0.02}}'`,
      'a random walk derived from the seed',
    ],
  ]),
  LOAD,
  remoteCommand('setOutage', {
    command: 'outage <state>',
    names: { out: 'state' },
    examples: [['oracle outage on', 'prices are unavailable']],
    print: ratesLine,
  }),
  remoteCommand('setStale', {
    command: 'stale <state>',
    names: { stale: 'state' },
    examples: [['oracle stale on', 'prices are no longer updated, and expire']],
    print: ratesLine,
  }),
]);
