import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { ControlClient } from '../../api/control/client.js';
import { isTaken } from '../../recording/recorder/session.js';
import { RemoteRefusal, UsageError, writing } from '../usage.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { flag, required, text } from '../arguments.js';

const FILE = required('recording file');

/** Stops the recording of a running simulator and saves it to a new or empty file. Recording continues if that is impossible. */
export async function stopInto(control: ControlClient, path: string) {
  const { path: there } = await control.do('recording');
  if (there !== null)
    throw new RemoteRefusal(
      `the simulator writes its recording to ${there} until it ends; sim control stop-recording ends it earlier`,
    );
  if (isTaken(path)) throw new UsageError(`${path} is not empty; name another file, or remove it first`);
  const file = writing(path, () => openSync(path, 'a', 0o600));
  try {
    const { recording } = await control.do('stopRecording');
    const lines = recording ?? '';
    writing(path, () => writeFileSync(file, lines));
    return { path, characters: lines.length };
  } finally {
    closeSync(file);
  }
}

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
    call: (control, _ask, { file }) => stopInto(control, file),
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
