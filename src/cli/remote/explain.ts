import type { Argv } from 'yargs';
import { load, remote } from './options.js';

/** Adds `explain`. */
export function explainCommand<T>(y: Argv<T>): Argv<T> {
  return y.command(
    'explain <id>',
    'explain why a call was refused or what it did, with the figures',
    (c) =>
      remote(c)
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'X-Request-Id of an answer, or requestId of an error',
        })
        .example('$0 explain req_00000007', 'rule, figures, entries and transaction'),
    async (args) =>
      (await load()).withControlClient(
        args,
        (control) => control.do('explain', { id: args.id }),
        ({ text }) => text,
      ),
  );
}
