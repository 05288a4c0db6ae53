import type { Argv } from 'yargs';
import { NO_COMMAND } from '../unknown-words.js';
import { corpusFlags, fuzzFlags, replayFlags } from './flags.js';

export function fuzzCommands<T>(commands: Argv<T>): Argv {
  return (commands as Argv)
    .command(
      'fuzz',
      'search for the shortest sequence of calls that breaks a rule',
      (y) =>
        fuzzFlags(y).command('corpus', 'inspect or minimize a corpus', (z) =>
          z
            .command('show [folder]', 'show the coverage of its sequences', corpusFlags, async (args) =>
              (await import('./corpus-commands.js')).showCorpus(args),
            )
            .command(
              'min [folder]',
              'reduce a corpus to the fewest sequences with the same coverage',
              corpusFlags,
              async (args) => (await import('./corpus-commands.js')).minimizeCorpus(args),
            )
            .demandCommand(1, NO_COMMAND),
        ),
      async (args) => (await import('./fuzz.js')).fuzz(args),
    )
    .command(
      'job-worker',
      // Internal: for the processes of --workers.
      false,
      (y) => y,
      async () => (await import('../jobs.js')).jobWorker(),
    )
    .command('replay <file>', 'replay a counterexample or a recording', replayFlags, async (args) =>
      (await import('../replay.js')).replayAny(args),
    );
}
