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
    describe: `property to test: ${PROPERTY_NAMES.join(', ')}; repeatable (default everything)`,
  },
  runs: {
    type: 'number',
    describe: 'number of sequences (default 1000, or as many as fit into --time-budget)',
  },
  'time-budget': { type: 'string', describe: 'start no sequence after this time: 60s, 10m' },
  seed: { type: 'number', default: 1, describe: 'random seed; a run depends only on its seed and number' },
  path: { type: 'number', default: 0, describe: 'number of the first run' },
  engine: {
    choices: EMBEDDED_ENGINES,
    default: 'litesvm' as const,
    describe: 'chain engine; a failure is also replayed on the other engine',
  },
  variant: { ...many, describe: 'set a variant of the service, name=value; repeatable' },
  limit: {
    ...many,
    describe: 'set a limit that the model knows, name=number; see docs/reference/limits.md; repeatable',
  },
} as const;

const WHO = {
  workers: {
    type: 'number',
    default: 1,
    describe: 'number of parallel processes; does not change the result',
  },
  queue: {
    type: 'string',
    describe: 'run on the workers of this queue, such as redis://127.0.0.1:6379; see sim worker',
  },
  name: {
    type: 'string',
    default: 'fuzz',
    describe: 'with --queue: name of the campaign; an existing campaign continues',
  },
  ...QUEUE_PREFIX,
} as const;

const FILES = {
  corpus: { type: 'string', describe: 'folder of sequences to start from; the search adds new sequences' },
  out: {
    type: 'string',
    default: 'failures',
    describe: 'folder of counterexamples; the search first replays the existing ones',
  },
  report: { type: 'string', describe: 'write an HTML report with plots: html, or html:limits.html' },
  json: { type: 'boolean', default: false, describe: 'print the result as one line of JSON' },
} as const;

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
      describe: 'chain engine (default: the engine of the recording)',
    })
    .option('log', { type: 'string', describe: 'recordings: append every event to this file' })
    .option('all', {
      type: 'boolean',
      default: false,
      describe: 'recordings: show every difference',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print one line of JSON' })
    .example('$0 replay failures/NAME.json', 'prints FIXED or FAILED')
    .example('$0 replay session.ndjson', 'lists the responses that differ from the recording');
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
