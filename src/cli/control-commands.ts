import type { Argv } from 'yargs';
import { EVENT_KINDS } from '../bank/due.js';
import { UsageError } from './usage.js';

const URL_DEFAULT = 'http://127.0.0.1:4020';

/** The options of every command that talks to a running simulator. */
function remote<T>(y: Argv<T>) {
  return y
    .option('url', { type: 'string', default: URL_DEFAULT, describe: 'where the simulator answers' })
    .option('token', { type: 'string', describe: 'what it was started with as --control-token' })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' });
}

const load = () => import('./control.js');

interface TimeTold {
  readonly now: string;
  readonly mode: string;
  readonly factor: number;
}

const timeLine = ({ now, mode, factor }: TimeTold) => `${now} ${mode === 'scaled' ? `${factor}x` : mode}`;

interface Fired {
  readonly at: string;
  readonly kind: string;
  readonly subject?: string | undefined;
}

const firedLines = (fired: readonly Fired[]) =>
  fired.map(({ at, kind, subject }) => `${at} ${kind} ${subject ?? ''}`.trimEnd());

/** Adds the commands that talk to a running simulator. */
export function controlCommands<T>(y: Argv<T>): Argv<T> {
  return y
    .command('time', 'read or move the time of a running simulator', (t) =>
      t
        .command(
          ['show', '$0'],
          'tell the time',
          (c) => remote(c).example('$0 time', 'what time it is there'),
          async (args) => (await load()).remotely(args, (control) => control.do('time'), timeLine),
        )
        .command(
          'advance [by]',
          'jump forward and list what happened on the way',
          (c) =>
            remote(c)
              .positional('by', { type: 'string', describe: 'a duration such as 30d or PT1H' })
              .option('to', { type: 'string', describe: 'an instant, ISO 8601' })
              .option('until', { choices: EVENT_KINDS, describe: 'stop at the first of these' })
              .option('within', { type: 'string', describe: 'how far to look for it (default 10y)' })
              .example('$0 time advance 30d', 'a month passes')
              .example('$0 time advance --until loan.due', 'as far as the next loan falls due'),
          async (args) => {
            const { by, to, until, within } = args;
            const given = [by, to, until].filter((value) => value !== undefined);
            if (given.length !== 1) throw new UsageError('give a duration, --to or --until');
            const body =
              by !== undefined
                ? { by }
                : to !== undefined
                  ? { to }
                  : { until: until as (typeof EVENT_KINDS)[number], within };
            await (
              await load()
            ).remotely(
              args,
              (control) => control.do('advance', { body }),
              (told) => [...firedLines(told.fired), timeLine(told)].join('\n'),
            );
          },
        )
        .command(
          'freeze',
          'stop the clock',
          (c) => remote(c).example('$0 time freeze', 'time stands still'),
          async (args) => (await load()).remotely(args, (control) => control.do('freeze'), timeLine),
        )
        .command(
          'run',
          'let it run with the wall clock',
          (c) => remote(c).example('$0 time run', 'a second lasts a second'),
          async (args) => (await load()).remotely(args, (control) => control.do('run'), timeLine),
        )
        .command(
          'scale <factor>',
          'let so many seconds pass in one',
          (c) =>
            remote(c)
              .positional('factor', { type: 'number', demandOption: true })
              .example('$0 time scale 60', 'an hour lasts a minute'),
          async (args) =>
            (await load()).remotely(
              args,
              (control) => control.do('scale', { body: { factor: args.factor } }),
              timeLine,
            ),
        ),
    )
    .command(
      'faucet <address> <amount> <token>',
      'give an address SOL or USDC',
      (c) =>
        remote(c)
          .positional('address', { type: 'string', demandOption: true })
          .positional('amount', { type: 'number', demandOption: true })
          .positional('token', { choices: ['USDC', 'SOL'] as const, demandOption: true })
          .option('network', { choices: ['mainnet', 'devnet'] as const, describe: 'whose mint of USDC' })
          .example('$0 faucet 9xQe… 100 USDC', 'a hundred dollars'),
      async (args) => {
        const { address, amount, token, network } = args;
        await (
          await load()
        ).remotely(
          args,
          (control) => control.do('faucet', { body: { address, amount, token, network } }),
          ({ balances, signature }) => `${balances.SOL} SOL, ${balances.USDC} USDC now; ${signature}`,
        );
      },
    )
    .command('oracle', 'read or set rates and prices of a running simulator', (o) =>
      o
        .command(
          ['show', '$0'],
          'rates and prices now',
          (c) => remote(c).example('$0 oracle', 'what savings earn and tokens cost'),
          async (args) => (await load()).remotely(args, (control) => control.do('oracle'), ratesLine),
        )
        .command(
          'apy <token> <rate>',
          'what savings of a token earn from now on',
          (c) => remote(tokenAnd(c, 'rate')).example('$0 oracle apy USDC 0.05', '5 % a year'),
          async (args) =>
            (await load()).remotely(
              args,
              (control) => control.do('setApy', { body: { token: args.token, source: args.rate } }),
              ratesLine,
            ),
        )
        .command(
          'price <token> <rate>',
          'what a token is worth in USD from now on',
          (c) => remote(tokenAnd(c, 'rate')).example('$0 oracle price SOL 120', '120 USD'),
          async (args) =>
            (await load()).remotely(
              args,
              (control) => control.do('setPrice', { body: { token: args.token, source: args.rate } }),
              ratesLine,
            ),
        )
        .command(
          'outage <state>',
          'begin or end an outage of the source',
          (c) =>
            remote(c)
              .positional('state', { choices: ['on', 'off'] as const, demandOption: true })
              .example('$0 oracle outage on', 'nothing can be priced'),
          async (args) =>
            (await load()).remotely(
              args,
              (control) => control.do('setOutage', { body: { out: args.state === 'on' } }),
              ratesLine,
            ),
        ),
    )
    .command('review', 'decide applications for credit of a running simulator', (r) => reviewCommands(r))
    .command(
      'snapshot',
      'remember the world as it is; prints the id',
      (c) => remote(c).example('$0 snapshot', 'snapshot-1'),
      async (args) =>
        (await load()).remotely(
          args,
          (control) => control.do('snapshot'),
          ({ id }) => id,
        ),
    )
    .command(
      'revert <id>',
      'make the world what it was at a snapshot',
      (c) =>
        remote(c)
          .positional('id', { type: 'string', demandOption: true })
          .example('$0 revert snapshot-1', 'again and again'),
      async (args) =>
        (await load()).remotely(args, (control) => control.do('revert', { id: args.id }), timeLine),
    );
}

function tokenAnd<T>(c: Argv<T>, name: 'rate') {
  return c
    .positional('token', { choices: ['USDC', 'SOL'] as const, demandOption: true })
    .positional(name, { type: 'number', demandOption: true });
}

interface RatesTold {
  readonly apy: { readonly USDC: number; readonly SOL: number };
  readonly usd: { readonly USDC: number; readonly SOL: number };
  readonly outage: boolean;
}

const ratesLine = ({ apy, usd, outage }: RatesTold) =>
  `USDC earns ${apy.USDC}, is worth ${usd.USDC} USD; SOL earns ${apy.SOL}, is worth ${usd.SOL} USD${outage ? '; the source is out' : ''}`;

function reviewCommands<T>(r: Argv<T>) {
  const decide = (verb: 'approve' | 'deny', y: Argv<T>) =>
    y.command(
      `${verb} <loan>`,
      `${verb} an application`,
      (c) =>
        remote(c)
          .positional('loan', { type: 'string', demandOption: true })
          .option('reason', { type: 'string', describe: 'what the agent reads' })
          .example(`$0 review ${verb} loan_1a2b --reason "known agent"`, 'the loan is decided'),
      async (args) =>
        (await load()).remotely(
          args,
          (control) => control.do(verb, { id: args.loan, body: { reason: args.reason } }),
          ({ loanId, decision }) => `${loanId} ${decision}`,
        ),
    );
  const listed = r.command(
    ['list', '$0'],
    'applications that wait, oldest first',
    (c) => remote(c).example('$0 review list', 'who wants what'),
    async (args) =>
      (await load()).remotely(
        args,
        (control) => control.do('reviews'),
        ({ reviews }) =>
          reviews.length === 0
            ? 'nothing waits for a decision'
            : reviews
                .map(
                  (one) =>
                    `${one.loanId} ${one.wallet} ${one.amount} USDC ${one.purpose} ${one.durationDays}d ${one.createdAt}`,
                )
                .join('\n'),
      ),
  );
  return decide('deny', decide('approve', listed));
}
