import type { Argv } from 'yargs';
import { load, remote } from './options.js';
import { timeLine } from './time.js';

/** Adds `snapshot` and `revert`. */
export function snapshotCommands<T>(y: Argv<T>): Argv<T> {
  return y
    .command(
      'snapshot',
      'take a snapshot of the world; prints its id',
      (c) => remote(c).example('$0 snapshot', 'snapshot-1'),
      async (args) =>
        (await load()).withControlClient(
          args,
          (control) => control.do('snapshot'),
          ({ id }) => id,
        ),
    )
    .command(
      'revert <id>',
      'restore a snapshot',
      (c) =>
        remote(c)
          .positional('id', { type: 'string', demandOption: true })
          .example('$0 revert snapshot-1', 'can be repeated'),
      async (args) =>
        (await load()).withControlClient(args, (control) => control.do('revert', { id: args.id }), timeLine),
    );
}
