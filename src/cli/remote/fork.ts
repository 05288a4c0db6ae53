import type { Argv } from 'yargs';
import { load, remote } from './options.js';

interface ForkTold {
  readonly id: string;
  readonly baseUrl: string;
  readonly rpcUrl: string | null;
}

const line = ({ id, baseUrl, rpcUrl }: ForkTold) =>
  `${id} ${baseUrl}${rpcUrl === null ? '' : ` RPC ${rpcUrl}`}`;

/** Adds `fork`. */
export function forkCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('fork', 'fork a running world', (f) =>
    f
      .command(
        ['make [snapshot]', '$0'],
        'copy the current state, or a snapshot, to a world with its own base URL',
        (c) =>
          remote(c)
            .positional('snapshot', { type: 'string', describe: 'snapshot id' })
            .example('$0 fork', 'fork-1 http://127.0.0.1:4020/w/fork-1/api/v1 RPC …')
            .example(
              '$0 time advance 30d --url http://127.0.0.1:4020/w/fork-1',
              'every command works on a fork',
            ),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) =>
              control.do('fork', { body: args.snapshot === undefined ? {} : { snapshot: args.snapshot } }),
            line,
          ),
      )
      .command(
        'list',
        'list forks',
        (c) => remote(c).example('$0 fork list', 'their ids and addresses'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('forks'),
            ({ forks }) => (forks.length === 0 ? 'no forks' : forks.map(line).join('\n')),
          ),
      )
      .command(
        'drop <id>',
        'delete a fork',
        (c) =>
          remote(c)
            .positional('id', { type: 'string', demandOption: true })
            .example('$0 fork drop fork-1', 'frees its memory'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('dropFork', { id: args.id }),
            ({ id }) => `${id} dropped`,
          ),
      ),
  );
}
