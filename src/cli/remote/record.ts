import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { flag, required, text } from '../arguments.js';

const FILE = required('recording file');

export const RECORD = commandGroup('record', 'record requests and responses', [
  remoteCommand('startRecording', {
    command: 'start',
    describe: 'start recording now; sim start --record FILE records from the start',
    examples: [['record start', 'then: sim record stop FILE']],
    print: () => 'recording',
  }),
  remoteCommand('stopRecording', {
    command: 'stop <file>',
    describe: 'stop recording and save it to a file',
    options: { file: FILE },
    examples: [['record stop session.ndjson', 'then: sim replay session.ndjson']],
    call: async (control, _ask, { file }) => (await import('../recording/record.js')).stopInto(control, file),
  }),
  NO_DEFAULT,
  (y) =>
    y.command(
      'to-scenario <file> [out]',
      'convert a recording to a scenario that expects the recorded responses',
      (c) =>
        c
          .positional('file', FILE)
          .positional('out', text('scenario file (default: stdout)'))
          .option('all', flag('include calls that only read'))
          .option('name', text('name of the scenario, as a sentence'))
          .example('$0 record to-scenario session.ndjson session.yaml', 'then: sim run session.yaml'),
      async (args) => (await import('../recording/to-scenario.js')).makeScenario(args),
    ),
]);
