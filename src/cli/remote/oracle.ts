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
  const notes = [outage ? '; the source is out' : '', stale ? `; stale, of ${asOf}` : ''].join('');
  const later = planned.map(
    ({ at, kind, token }) => `planned for ${at}: another ${kind === 'usd' ? 'price' : 'rate'} of ${token}`,
  );
  return [`${now}${notes}`, ...later].join('\n');
}

type Source = NonNullable<Ask<'setApy'>['body']>['source'];

/** A rate that was given as a number or a percentage, or as JSON of a series, walk or curve. */
function sourceOf(args: { rate?: string | undefined; source?: string | undefined }): Source {
  const { rate, source } = args;
  if ((rate === undefined) === (source === undefined))
    throw new UsageError('give a number, or --source with JSON of a series, walk or curve');
  // What is no number goes on as it is: the simulator reads percentages, and says what else there is.
  if (rate !== undefined) return rate.trim() === '' || Number.isNaN(Number(rate)) ? rate : Number(rate);
  try {
    return JSON.parse(source as string) as Source;
  } catch {
    throw new UsageError(`--source is not valid JSON: ${source}`);
  }
}

const BEGINNING = {
  from: { type: 'string', describe: 'from when on, ISO 8601 (default now)' },
  in: { type: 'string', describe: 'or a duration from now, such as 30d' },
} as const;

function setting<T>(c: Argv<T>) {
  return remote(c)
    .positional('token', { choices: TOKENS, demandOption: true })
    .positional('rate', { type: 'string' })
    .option('source', { type: 'string', describe: 'JSON of a series, walk or curve instead of a number' })
    .options(BEGINNING);
}

function settingCommands<T>(o: Argv<T>) {
  return o
    .command(
      'apy <token> [rate]',
      'what savings of a token earn from now or an instant on',
      (c) =>
        setting(c)
          .example('$0 oracle apy USDC 5%', '5 % a year; 0.05 is the same')
          .example('$0 oracle apy USDC 3% --in 30d', 'planned ahead; --from takes an instant'),
      async (args) => {
        const body = { token: args.token, source: sourceOf(args), from: args.from, in: args.in };
        await (await load()).withControlClient(args, (control) => control.do('setApy', { body }), ratesLine);
      },
    )
    .command(
      'price <token> [rate]',
      'what a token is worth in USD from now or an instant on',
      (c) =>
        setting(c)
          .example('$0 oracle price SOL 120', '120 USD')
          .example(
            `$0 oracle price SOL --source '{"walk":{"start":120,"every":"1h","step":0.02}}'`,
            'a seeded walk',
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
      'follow a series file, CSV or JSON; - reads from stdin',
      (c) =>
        remote(c)
          .positional('file', { type: 'string', demandOption: true })
          .options(BEGINNING)
          .example('$0 oracle load fixtures/rates-2026.csv', 'rates and prices of a year'),
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
      'begin or end an outage of the source',
      (c) => state(c).example('$0 oracle outage on', 'nothing can be priced'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do('setOutage', { body: { out: args.state === 'on' } }),
          ratesLine,
        ),
    )
    .command(
      'stale <state>',
      'let every value stand still, or follow its source again',
      (c) => state(c).example('$0 oracle stale on', 'prices grow old, and are refused when too old'),
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

/** All pages of a value's history as one. */
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

/** All pages of a series file as one: the header of the first, the lines of all. */
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
    'what a rate or price really was',
    (c) =>
      remote(c)
        .positional('token', { choices: TOKENS })
        .positional('kind', { choices: KINDS, describe: 'apy: what savings earn; usd: the price' })
        .option('from', { type: 'string', describe: "ISO 8601 (default the world's beginning)" })
        .option('to', { type: 'string', describe: 'ISO 8601 (default now)' })
        .option('csv', { type: 'boolean', default: false, describe: 'a series file, which load takes' })
        .example('$0 oracle history SOL usd', 'each price of SOL and its instant')
        .example('$0 oracle history --csv > rates.csv', 'all rates and prices, to be loaded again'),
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
  return y.command('oracle', 'read or set rates and prices of a running simulator', (o) =>
    historyCommand(
      troubleCommands(
        settingCommands(
          o.command(
            ['show', '$0'],
            'rates and prices now',
            (c) => remote(c).example('$0 oracle', 'what savings earn and tokens cost'),
            async (args) =>
              (await load()).withControlClient(args, (control) => control.do('oracle'), ratesLine),
          ),
        ),
      ),
    ),
  );
}
