import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `record`. */
export function recordCommand<T>(y: Argv<T>): Argv<T> {
  return y.command('record', 'record what comes in and is answered', (r) =>
    r
      .command(
        'start',
        'let a running simulator record from here on; sim start --record FILE does from the beginning',
        (c) => remote(c).example('$0 record start', 'then: $0 record stop FILE'),
        async (args) =>
          (await load()).withControlClient(
            args,
            (control) => control.do('startRecording', { body: {} }),
            () => 'recording',
          ),
      )
      .command(
        'stop <file>',
        'end it and keep it in a file',
        (c) =>
          remote(c)
            .positional('file', { type: 'string', demandOption: true, describe: 'the file of the recording' })
            .example('$0 record stop session.ndjson', 'then: $0 replay session.ndjson'),
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
        'make a scenario of a recording, with what was answered as expectations',
        (c) =>
          c
            .positional('file', { type: 'string', demandOption: true, describe: 'the file of the recording' })
            .positional('out', { type: 'string', describe: 'the file of the scenario; stdout when left out' })
            .option('all', { type: 'boolean', default: false, describe: 'with calls that only look' })
            .option('name', { type: 'string', describe: 'what the scenario shows, as a sentence' })
            .example('$0 record to-scenario session.ndjson session.yaml', 'then: $0 run session.yaml'),
        async (args) => (await import('../recording/to-scenario.js')).makeScenario(args),
      )
      .demandCommand(1, 'Name what to do: start, stop or to-scenario.'),
  );
}
