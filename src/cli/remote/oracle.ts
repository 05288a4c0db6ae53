import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import type { Ask, ControlClient } from '../../api/control/client.js';
import { UsageError } from '../usage.js';
import { load, remote } from './options.js';

const TOKENS = ['USDC', 'SOL'] as const;
const KINDS = ['apy', 'usd'] as const;

interface RatesTold {
  readonly apy: { readonly USDC: number; readonly SOL: number };
  readonly usd: { readonly USDC: number; readonly SOL: number };
  readonly outage: boolean;
  readonly stale: boolean;
  readonly asOf: string;
  readonly planned: readonly { readonly at: string; readonly kind: string; readonly token: string }[];
}

function ratesLine({ apy, usd, outage, stale, asOf, planned }: RatesTold): string {
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

function setting<T>(c: Argv<T>) {
  return remote(c)
    .positional('token', { choices: TOKENS, demandOption: true })
    .positional('rate', { type: 'string' })
    .option('source', { type: 'string', describe: 'series, walk or curve as JSON, instead of a number' })
    .options(BEGINNING);
}

function settingCommands<T>(o: Argv<T>) {
  return o
    .command(
      'apy <token> [rate]',
      'set the savings rate of a token, now or at an instant',
      (c) =>
        setting(c)
          .example('$0 oracle apy USDC 5%', '5 % a year; 0.05 is the same')
          .example('$0 oracle apy USDC 3% --in 30d', 'scheduled; or --from with an instant'),
      async (args) => {
        const body = { token: args.token, source: sourceOf(args), from: args.from, in: args.in };
        await (await load()).withControlClient(args, (control) => control.do('setApy', { body }), ratesLine);
      },
    )
    .command(
      'price <token> [rate]',
      'set the USD price of a token, now or at an instant',
      (c) =>
        setting(c)
          .example('$0 oracle price SOL 120', '120 USD')
          .example(
            `$0 oracle price SOL --source '{"walk":{"start":120,"every":"1h","step":0.02}}'`,
            'a random walk from the seed',
          ),
      async (args) => {
        const source = sourceOf(args) as NonNullable<Ask<'setPrice'>['body']>['source'];
        const body = { token: args.token, source, from: args.from, in: args.in };
        await (
          await load()
        ).withControlClient(args, (control) => control.do('setPrice', { body }), ratesLine);
      },
    )
    .command(
      'load <file>',
      'follow a series file, CSV or JSON; - for stdin',
      (c) =>
        remote(c)
          .positional('file', { type: 'string', demandOption: true })
          .options(BEGINNING)
          .example('$0 oracle load fixtures/rates-2026.csv', 'a year of rates and prices'),
      async (args) => {
        const body = seriesBody(args.file, { from: args.from, in: args.in });
        await (
          await load()
        ).withControlClient(args, (control) => control.do('loadSeries', { body }), ratesLine);
      },
    );
}

function seriesBody(
  file: string,
  beginning: { from: string | undefined; in: string | undefined },
): NonNullable<Ask<'loadSeries'>['body']> {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be read (${code ?? message})`);
  }
  if (!text.trimStart().startsWith('{')) return { csv: text, ...beginning };
  try {
    return { series: JSON.parse(text) as never, ...beginning };
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

function troubleCommands<T>(o: Argv<T>) {
  const state = (c: Argv<T>) =>
    remote(c).positional('state', { choices: ['on', 'off'] as const, demandOption: true });
  return o
    .command(
      'outage <state>',
      'start or end an oracle outage',
      (c) => state(c).example('$0 oracle outage on', 'no prices are available'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do('setOutage', { body: { out: args.state === 'on' } }),
          ratesLine,
        ),
    )
    .command(
      'stale <state>',
      'freeze all values, or resume updates',
      (c) => state(c).example('$0 oracle stale on', 'prices age, and expire when too old'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do('setStale', { body: { stale: args.state === 'on' } }),
          ratesLine,
        ),
    );
}

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

function historyCommand<T>(o: Argv<T>) {
  return o.command(
    'history [token] [kind]',
    'show past rates or prices',
    (c) =>
      remote(c)
        .positional('token', { choices: TOKENS })
        .positional('kind', { choices: KINDS, describe: 'apy: savings rate; usd: price' })
        .option('from', { type: 'string', describe: 'ISO 8601 (default: start of the world)' })
        .option('to', { type: 'string', describe: 'ISO 8601 (default now)' })
        .option('csv', { type: 'boolean', default: false, describe: 'print a series file for oracle load' })
        .example('$0 oracle history SOL usd', 'all prices of SOL with their times')
        .example('$0 oracle history --csv > rates.csv', 'all rates and prices, for oracle load'),
    async (args) => {
      const { token, kind, from, to } = args;
      const { withControlClient } = await load();
      if (args.csv) {
        return withControlClient(
          args,
          (control) => wholeCsv(control, { token, kind, from, to }),
          ({ csv }) => csv.trimEnd(),
        );
      }
      if (token === undefined || kind === undefined)
        throw new UsageError('name a token and apy or usd, or give --csv for all');
      await withControlClient(
        args,
        (control) => wholeHistory(control, { token, kind, from, to }),
        ({ changes }) => changes.map(({ at, value }) => `${at} ${value}`).join('\n'),
      );
    },
  );
}

/** Adds `oracle`. */
export function oracleCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('oracle', 'show or set rates and prices of a running simulator', (o) =>
    historyCommand(
      troubleCommands(
        settingCommands(
          o.command(
            ['show', '$0'],
            'show current rates and prices',
            (c) => remote(c).example('$0 oracle', 'current rates and prices'),
            async (args) =>
              (await load()).withControlClient(args, (control) => control.do('oracle'), ratesLine),
          ),
        ),
      ),
    ),
  );
}
