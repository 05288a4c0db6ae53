import type { Argv } from 'yargs';
import { load, remote } from './options.js';

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

/** Adds `oracle`. */
export function oracleCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('oracle', 'read or set rates and prices of a running simulator', (o) =>
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
  );
}
