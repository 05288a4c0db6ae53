import { JSON_LINE, flag, number, required } from '../arguments.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';

const loadState = () => import('../state.js');

const FILE = required('state file');

export const STATE = commandGroup('state', 'save a world to a state file, or restore it', [
  remoteCommand('exportState', {
    command: 'export <file>',
    describe: 'save the current world to a file',
    options: {
      file: FILE,
      'with-keys': flag('include secrets of tokens and receipts that do not derive from the seed'),
    },
    examples: [['state export world.sim', 'then: sim start --state world.sim']],
    call: async (control, _ask, { file, 'with-keys': withKeys }) =>
      (await loadState()).exportTo(control, { file, withKeys }),
  }),
  remoteCommand('importState', {
    command: 'import <file>',
    describe: 'replace a running world with a saved world that has the same seed and rules',
    options: { file: FILE },
    examples: [['state import world.sim', 'earlier snapshots stay valid']],
    call: async (control, _ask, { file }) => (await loadState()).importFrom(control, file),
  }),
  NO_DEFAULT,
  (y) =>
    y.command(
      'show <file>',
      'summarize a file: agents, balances, loans, clock and last entries',
      (c) =>
        c
          .positional('file', FILE)
          .option('entries', { ...number('number of last entries to show'), default: 10 })
          .options(JSON_LINE)
          .example('$0 state show world.sim --json', 'for programs'),
      async (args) => (await loadState()).show(args),
    ),
]);
