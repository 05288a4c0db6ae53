import type { Ask, ControlClient } from '../../api/control/client.js';
import { readUserText } from '../../core/user-file.js';
import { UsageError } from '../usage.js';
import { commandGroup, remoteCommand } from './remote-command.js';

const TOKENS = ['USDC', 'SOL'] as const;
const KINDS = ['apy', 'usd'] as const;

interface RatesView {
  readonly apy: { readonly USDC: number; readonly SOL: number };
  readonly usd: { readonly USDC: number; readonly SOL: number };
  readonly outage: boolean;
  readonly stale: boolean;
  readonly asOf: string;
  readonly planned: readonly { readonly at: string; readonly kind: string; readonly token: string }[];
}

function ratesLine({ apy, usd, outage, stale, asOf, planned }: RatesView): string {
  const now = `USDC earns ${apy.USDC}, is worth ${usd.USDC} USD; SOL earns ${apy.SOL}, is worth ${usd.SOL} USD`;
  const notes = [outage ? '; oracle outage' : '', stale ? `; stale, of ${asOf}` : ''].join('');
  const later = planned.map(
    ({ at, kind, token }) => `scheduled for ${at}: new ${kind === 'usd' ? 'price' : 'rate'} of ${token}`,
  );
  return [`${now}${notes}`, ...later].join('\n');
}

type Source = NonNullable<Ask<'setApy'>['body']>['source'];

/** Parses a rate given as a number or a percentage, or as JSON of a series, walk or curve. */
function sourceOf(args: { rate?: string | undefined; source?: string | undefined }): Source {
  const { rate, source } = args;
  if ((rate === undefined) === (source === undefined))
    throw new UsageError('give a number, or --source with JSON of a series, walk or curve');
  // Other text is passed on: the simulator parses percentages, and describes valid input in its error.
  if (rate !== undefined) return rate.trim() === '' || Number.isNaN(Number(rate)) ? rate : Number(rate);
  try {
    return JSON.parse(source as string) as Source;
  } catch {
    throw new UsageError(`--source is not valid JSON: ${source}`);
  }
}

const BEGINNING = {
  from: { type: 'string', describe: 'when it takes effect, ISO 8601 (default now)' },
  in: { type: 'string', describe: 'or in how long, such as 30d' },
} as const;

const SETTING = {
  positionals: { token: { choices: TOKENS, demandOption: true }, rate: { type: 'string' } },
  options: {
    source: { type: 'string', describe: 'series, walk or curve as JSON, instead of a number' },
    ...BEGINNING,
  },
} as const;

const APY = remoteCommand({
  command: 'apy <token> [rate]',
  describe: 'set the savings rate of a token, now or at an instant',
  ...SETTING,
  examples: [
    ['oracle apy USDC 5%', '5 % a year; 0.05 is the same'],
    ['oracle apy USDC 3% --in 30d', 'scheduled; or --from with an instant'],
  ],
  call: async (control, args) =>
    control.do('setApy', {
      body: { token: args.token, source: sourceOf(args), from: args.from, in: args.in },
    }),
  print: ratesLine,
});

const PRICE = remoteCommand({
  command: 'price <token> [rate]',
  describe: 'set the USD price of a token, now or at an instant',
  ...SETTING,
  examples: [
    ['oracle price SOL 120', '120 USD'],
    [
      `oracle price SOL --source '{"walk":{"start":120,"every":"1h","step":0.02}}'`,
      'a random walk from the seed',
    ],
  ],
  call: async (control, args) => {
    const source = sourceOf(args) as NonNullable<Ask<'setPrice'>['body']>['source'];
    return control.do('setPrice', { body: { token: args.token, source, from: args.from, in: args.in } });
  },
  print: ratesLine,
});

const LOAD = remoteCommand({
  command: 'load <file>',
  describe: 'follow a series file, CSV or JSON; - for stdin',
  positionals: { file: { type: 'string', demandOption: true } },
  options: BEGINNING,
  examples: [['oracle load fixtures/rates-2026.csv', 'a year of rates and prices']],
  call: async (control, args) =>
    control.do('loadSeries', { body: seriesBody(args.file, { from: args.from, in: args.in }) }),
  print: ratesLine,
});

function seriesBody(
  file: string,
  beginning: { from: string | undefined; in: string | undefined },
): NonNullable<Ask<'loadSeries'>['body']> {
  const text = readUserText(file);
  if (!text.trimStart().startsWith('{')) return { csv: text, ...beginning };
  try {
    return { series: JSON.parse(text) as never, ...beginning };
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

const STATE = { state: { choices: ['on', 'off'], demandOption: true } } as const;

const OUTAGE = remoteCommand({
  command: 'outage <state>',
  describe: 'start or end an oracle outage',
  positionals: STATE,
  examples: [['oracle outage on', 'no prices are available']],
  call: (control, { state }) => control.do('setOutage', { body: { out: state === 'on' } }),
  print: ratesLine,
});

const STALE = remoteCommand({
  command: 'stale <state>',
  describe: 'freeze all values, or resume updates',
  positionals: STATE,
  examples: [['oracle stale on', 'prices age, and expire when too old']],
  call: (control, { state }) => control.do('setStale', { body: { stale: state === 'on' } }),
  print: ratesLine,
});

interface Span {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Joins all pages of a value's history. */
async function wholeHistory(
  control: ControlClient,
  query: Span & { token: 'USDC' | 'SOL'; kind: 'apy' | 'usd' },
) {
  const first = await control.do('oracleHistory', { query });
  const changes = [...first.changes];
  for (let { next } = first; next !== null;) {
    const page = await control.do('oracleHistory', { query: { ...query, from: next, to: first.to } });
    changes.push(...page.changes.filter(({ value }, at) => at > 0 || value !== changes.at(-1)?.value));
    ({ next } = page);
  }
  return { ...first, changes, next: null };
}

/** Joins all pages of a series file: the header of the first, the lines of all. */
async function wholeCsv(
  control: ControlClient,
  query: Span & { token?: 'USDC' | 'SOL' | undefined; kind?: 'apy' | 'usd' | undefined },
) {
  const first = await control.do('oracleHistoryCsv', { query });
  let { csv, next } = first;
  while (next !== null) {
    const page = await control.do('oracleHistoryCsv', { query: { ...query, from: next } });
    csv += page.csv.slice(page.csv.indexOf('\n') + 1);
    ({ next } = page);
  }
  return { csv };
}

type History = Awaited<ReturnType<typeof wholeHistory | typeof wholeCsv>>;

const HISTORY = remoteCommand({
  command: 'history [token] [kind]',
  describe: 'show past rates or prices',
  positionals: {
    token: { choices: TOKENS },
    kind: { choices: KINDS, describe: 'apy: savings rate; usd: price' },
  },
  options: {
    from: { type: 'string', describe: 'ISO 8601 (default: start of the world)' },
    to: { type: 'string', describe: 'ISO 8601 (default now)' },
    csv: { type: 'boolean', default: false, describe: 'print a series file for oracle load' },
  },
  examples: [
    ['oracle history SOL usd', 'all prices of SOL with their times'],
    ['oracle history --csv > rates.csv', 'all rates and prices, for oracle load'],
  ],
  call: async (control, { token, kind, from, to, csv }): Promise<History> => {
    if (csv) return wholeCsv(control, { token, kind, from, to });
    if (token === undefined || kind === undefined)
      throw new UsageError('name a token and apy or usd, or give --csv for all');
    return wholeHistory(control, { token, kind, from, to });
  },
  print: (answer) =>
    'csv' in answer
      ? answer.csv.trimEnd()
      : answer.changes.map(({ at, value }) => `${at} ${value}`).join('\n'),
});

export const ORACLE = commandGroup('oracle', 'show or set rates and prices of a running simulator', [
  remoteCommand({
    command: ['show', '$0'],
    describe: 'show current rates and prices',
    examples: [['oracle', 'current rates and prices']],
    call: (control) => control.do('oracle'),
    print: ratesLine,
  }),
  APY,
  PRICE,
  LOAD,
  OUTAGE,
  STALE,
  HISTORY,
]);
