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
          (await load()).remotely(
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
          ).remotely(
            args,
            (control) => stopInto(control, args.file),
            ({ path, characters }) => `${path}: ${characters.toLocaleString('en-US')} characters`,
          );
        },
      )
      .demandCommand(1, 'Name what to do: start or stop.'),
  );
}
