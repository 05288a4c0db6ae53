import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `record`. */
export function recordCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('record', 'record requests and answers', (r) =>
    r
      .command(
        'start',
        'start recording now; sim start --record FILE records from the start',
        (c) => remote(c).example('$0 record start', 'then: sim record stop FILE'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('startRecording', { body: {} }),
            () => 'recording',
          ),
      )
      .command(
        'stop <file>',
        'stop recording and save it to a file',
        (c) =>
          remote(c)
            .positional('file', { type: 'string', demandOption: true, describe: 'recording file' })
            .example('$0 record stop session.ndjson', 'then: sim replay session.ndjson'),
        async (args) => {
          const { stopInto } = await import('../recording/record.js');
          await (
            await load()
          ).withControlClient(
            args,
            (control) => stopInto(control, args.file),
            ({ path, characters }) => `${path}: ${characters.toLocaleString('en-US')} characters`,
          );
        },
      )
      .command(
        'to-scenario <file> [out]',
        'convert a recording to a scenario that expects the recorded answers',
        (c) =>
          c
            .positional('file', { type: 'string', demandOption: true, describe: 'recording file' })
            .positional('out', { type: 'string', describe: 'scenario file (default: stdout)' })
            .option('all', { type: 'boolean', default: false, describe: 'include calls that only read' })
            .option('name', { type: 'string', describe: 'name of the scenario, as a sentence' })
            .example('$0 record to-scenario session.ndjson session.yaml', 'then: sim run session.yaml'),
        async (args) => (await import('../recording/to-scenario.js')).makeScenario(args),
      )
      .demandCommand(1, 'Specify a subcommand: start, stop or to-scenario.'),
  );
}
