import { LIMITS } from '../../core/limits.js';
import { readUserFile } from '../../core/user-file.js';
import { flag, required } from '../arguments.js';
import { writeWhole } from '../usage.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';

// State files with keys are readable by their owner only.
const SECRET_MODE = 0o600;

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
    call: async (control, _ask, { file, 'with-keys': withKeys }) => {
      const state = await control.do('exportState', { query: { withKeys: withKeys ? 'true' : 'false' } });
      writeWhole(file, state, withKeys ? SECRET_MODE : undefined);
      const { checksumOf } = await import('../../persistence/state-file/file.js');
      return { file, bytes: state.length, checksum: checksumOf(state) };
    },
  }),
  remoteCommand('importState', {
    command: 'import <file>',
    describe: 'replace a running world with a saved world that has the same seed and rules',
    options: { file: FILE },
    examples: [['state import world.sim', 'earlier snapshots stay valid']],
    call: (control, _ask, { file }) =>
      control.do('importState', { bytes: readUserFile(file, LIMITS.stateBytes.most) }),
  }),
  NO_DEFAULT,
]);
