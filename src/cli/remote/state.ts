import type { Argv } from 'yargs';
import { load, remote } from './options.js';

const loadState = () => import('../state.js');

const FILE = { type: 'string', demandOption: true, describe: 'the file of the state' } as const;

/** Adds `state`. */
export function stateCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('state', 'keep a world in a file, and go on from it anywhere', (s) =>
    s
      .command(
        'export <file>',
        'write the world as it is to a file',
        (c) =>
          remote(c)
            .positional('file', FILE)
            .option('with-keys', {
              type: 'boolean',
              default: false,
              describe: 'with the secrets of tokens and receipts where they do not derive from the seed',
            })
            .example('$0 state export world.sim', 'then: $0 start --state world.sim'),
        async (args) => {
          const { exportTo, exportLine } = await loadState();
          await (await load()).withControlClient(args, (control) => exportTo(control, args), exportLine);
        },
      )
      .command(
        'import <file>',
        'make a running world what a file says; it must be of the same seed and rules',
        (c) =>
          remote(c)
            .positional('file', FILE)
            .example('$0 state import world.sim', 'snapshots that were made before stay good'),
        async (args) => {
          const { importFrom, importLine } = await loadState();
          await (
            await load()
          ).withControlClient(args, (control) => importFrom(control, args.file), importLine);
        },
      )
      .command(
        'show <file>',
        'tell what a file holds: agents, balances, loans, clock and the last entries',
        (c) =>
          c
            .positional('file', FILE)
            .option('entries', { type: 'number', default: 10, describe: 'so many of the last entries' })
            .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' })
            .example('$0 state show world.sim --json', 'for programs'),
        async (args) => (await loadState()).show(args),
      )
      .demandCommand(1, 'Name what to do: export, import or show.'),
  );
}
