import type { Argv } from 'yargs';
import { load, remote } from './options.js';

const loadState = () => import('../state.js');

const FILE = { type: 'string', demandOption: true, describe: 'state file' } as const;

/** Adds `state`. */
export function stateCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('state', 'save a world to a state file, or restore it', (s) =>
    s
      .command(
        'export <file>',
        'save the current world to a file',
        (c) =>
          remote(c)
            .positional('file', FILE)
            .option('with-keys', {
              type: 'boolean',
              default: false,
              describe: 'include secrets of tokens and receipts that do not derive from the seed',
            })
            .example('$0 state export world.sim', 'then: sim start --state world.sim'),
        async (args) => {
          const { exportTo, exportLine } = await loadState();
          await (await load()).withControlClient(args, (control) => exportTo(control, args), exportLine);
        },
      )
      .command(
        'import <file>',
        'replace a running world by a saved one with the same seed and rules',
        (c) =>
          remote(c)
            .positional('file', FILE)
            .example('$0 state import world.sim', 'earlier snapshots stay valid'),
        async (args) => {
          const { importFrom, importLine } = await loadState();
          await (
            await load()
          ).withControlClient(args, (control) => importFrom(control, args.file), importLine);
        },
      )
      .command(
        'show <file>',
        'summarize a file: agents, balances, loans, clock and last entries',
        (c) =>
          c
            .positional('file', FILE)
            .option('entries', { type: 'number', default: 10, describe: 'number of last entries to show' })
            .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' })
            .example('$0 state show world.sim --json', 'for programs'),
        async (args) => (await loadState()).show(args),
      )
      .demandCommand(1, 'Specify a subcommand: export, import or show.'),
  );
}
