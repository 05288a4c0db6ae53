import type { Argv } from 'yargs';
import type { ArgumentsOf } from '../arguments.js';
import { QUEUE_PREFIX } from '../queue/flags.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { PROPERTY_NAMES } from '../../testing/fuzz/campaign/property-names.js';
import { NO_COMMAND } from '../unknown-words.js';

const many = { type: 'string', array: true, default: [] as string[] } as const;

const WHAT = {
  property: {
    ...many,
    describe: `where to search: ${PROPERTY_NAMES.join(', ')}; repeatable (default everything)`,
  },
  runs: {
    type: 'number',
    describe: 'number of sequences (default 1000, or as many as --time-budget allows)',
  },
  'time-budget': { type: 'string', describe: 'start no sequence after this time: 60s, 10m' },
  seed: { type: 'number', default: 1, describe: 'random seed; a run depends on its seed and number only' },
  path: { type: 'number', default: 0, describe: 'number of the run to begin with' },
  engine: {
    choices: EMBEDDED_ENGINES,
    default: 'litesvm' as const,
    describe: 'chain engine; a failure is replayed on the other one too',
  },
  variant: { ...many, describe: 'variant of the service, name=value; repeatable' },
  limit: {
    ...many,
    describe:
      'limit of the bank, of keys or of applications, name=number (docs/reference/limits.md); repeatable',
  },
} as const;

const WHO = {
  workers: {
    type: 'number',
    default: 1,
    describe: 'number of parallel processes; the result is that of one',
  },
  queue: {
    type: 'string',
    describe: 'play by the workers of this queue, such as redis://127.0.0.1:6379; see sim worker',
  },
  name: {
    type: 'string',
    default: 'fuzz',
    describe: 'with --queue: name of the campaign, which goes on if it is there',
  },
  ...QUEUE_PREFIX,
} as const;

const FILES = {
  corpus: { type: 'string', describe: 'folder of sequences to start from; new ones are added to it' },
  out: {
    type: 'string',
    default: 'failures',
    describe: 'folder for counterexamples; those that are there are replayed first',
  },
  report: { type: 'string', describe: 'write a page with plots: html, or html:limits.html' },
  json: { type: 'boolean', default: false, describe: 'print the result as one line of JSON' },
} as const;

/** The flags of `sim fuzz`. */
function fuzzFlags(y: Argv) {
  return y
    .options(WHAT)
    .options(WHO)
    .options(FILES)
    .example('$0 fuzz --time-budget 60s', 'search for a minute')
    .example('$0 fuzz --property limits --seed 7 --report html', 'test the limits and write a report');
}

export type FuzzArguments = ArgumentsOf<typeof fuzzFlags>;

function corpusFlags(y: Argv) {
  return y
    .positional('folder', { type: 'string', default: 'corpus', describe: 'folder of the corpus' })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' });
}

export type CorpusArguments = ArgumentsOf<typeof corpusFlags>;

function replayFlags(y: Argv) {
  return y
    .positional('file', {
      type: 'string',
      demandOption: true,
      describe: 'failures/NAME.json or a recording',
    })
    .option('engine', {
      choices: EMBEDDED_ENGINES,
      describe: 'chain engine (default: the recorded one)',
    })
    .option('log', { type: 'string', describe: 'recordings: append every event to this file' })
    .option('all', {
      type: 'boolean',
      default: false,
      describe: 'recordings: show every difference',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' })
    .example('$0 replay failures/NAME.json', 'prints FIXED or FAILED')
    .example('$0 replay session.ndjson', 'lists answers that differ from the recording');
}

export type ReplayArguments = ArgumentsOf<typeof replayFlags>;

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
              'reduce it to the fewest sequences with the same coverage',
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
