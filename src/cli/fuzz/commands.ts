import type { Argv } from 'yargs';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';

const many = { type: 'string', array: true, default: [] as string[] } as const;

const HOW_LONG = {
  runs: { type: 'number', describe: 'sequences (default 1000, or as many as --time-budget allows)' },
  steps: { type: 'number', default: 60, describe: 'steps of a sequence at most' },
  'time-budget': { type: 'string', describe: 'begin no sequence after this time: 60s, 10m' },
  workers: { type: 'number', default: 1, describe: 'processes that play at the same time' },
  shard: { type: 'string', describe: 'one part of several, such as 1/3' },
} as const;

const WHERE = {
  engine: {
    choices: EMBEDDED_ENGINES,
    default: 'litesvm' as const,
    describe: 'the chain underneath; what is found is played on the other one too',
  },
  transport: {
    choices: ['direct', 'http'] as const,
    default: 'direct' as const,
    describe: 'direct calls, or requests through the whole HTTP interface',
  },
  agents: { type: 'number', default: 3, describe: 'how many agents there are, 1 to 8' },
  seed: { type: 'number', default: 1, describe: 'the same seed plays the same sequences' },
  variant: { ...many, describe: 'a switch of the service, name=value; may be repeated' },
} as const;

const WHAT = {
  property: { ...many, describe: 'where to look; --list names them (default everything)' },
  only: { ...many, describe: 'draw only this command; may be repeated' },
  weights: { ...many, describe: 'how often a command is drawn: withdraw=20, advance=0; may be repeated' },
  list: { type: 'boolean', default: false, describe: 'list properties and commands, and play nothing' },
} as const;

const FILES = {
  corpus: { type: 'string', describe: 'a folder of sequences to begin from; new ones are kept there' },
  out: { type: 'string', default: 'failures', describe: 'the folder of counterexamples' },
  known: {
    type: 'boolean',
    default: true,
    describe: 'play the counterexamples of --out first; --no-known does not',
  },
  report: { type: 'string', describe: 'html, or html:limits.html: a page with plots' },
  json: { type: 'boolean', default: false, describe: 'the result as one line of JSON on stdout' },
} as const;

/** The flags of `sim fuzz`. */
function fuzzFlags<T>(y: Argv<T>) {
  return y
    .options(HOW_LONG)
    .options(WHERE)
    .options(WHAT)
    .options(FILES)
    .example('$0 fuzz --time-budget 60s', 'look for a minute')
    .example('$0 fuzz --property limits --seed 7 --report html', 'at the edges of the limits, with a page');
}

function corpusFlags<T>(y: Argv<T>) {
  return y
    .positional('folder', { type: 'string', default: 'corpus', describe: 'the folder of the corpus' })
    .option('json', { type: 'boolean', default: false, describe: 'one line of JSON' });
}

/** Adds the commands that look for counterexamples. `argv` is the whole command line. */
export function fuzzCommands<T>(commands: Argv<T>, argv: readonly string[]): Argv {
  return (commands as Argv)
    .command(
      'fuzz',
      'look for the shortest sequence of calls that breaks a rule',
      (y) =>
        fuzzFlags(y).command('corpus', 'what a corpus holds', (z) =>
          z
            .command('show [folder]', 'what its sequences reach', corpusFlags, async (args) =>
              (await import('./corpus-commands.js')).showCorpus(args),
            )
            .command('min [folder]', 'keep the fewest that reach the same', corpusFlags, async (args) =>
              (await import('./corpus-commands.js')).minimizeCorpus(args),
            )
            .demandCommand(1, 'Name what to do with the corpus: show or min.'),
        ),
      async (args) => (await import('./fuzz.js')).fuzz(args, argv.slice(1)),
    )
    .command(
      'fuzz-worker',
      // For the processes of --workers only.
      false,
      fuzzFlags,
      async (args) => (await import('./fuzz-worker.js')).fuzzWorker(args),
    )
    .command(
      'replay <file>',
      'play a counterexample or a recording again',
      (y) =>
        y
          .positional('file', {
            type: 'string',
            demandOption: true,
            describe:
              'failures/NAME.json, a file of sim start --record, or a HAR file of the deployed service',
          })
          .option('engine', {
            choices: EMBEDDED_ENGINES,
            describe: 'another engine than it was found or recorded on',
          })
          .option('log', { type: 'string', describe: 'of a recording: append every event to this file' })
          .option('all', {
            type: 'boolean',
            default: false,
            describe: 'of a recording: show every difference',
          })
          .option('base-url', {
            type: 'string',
            describe: 'of a HAR file: where the service answers; found when left out',
          })
          .option('variant', { ...many, describe: 'of a HAR file: a switch of the simulator, name=value' })
          .option('json', { type: 'boolean', default: false, describe: 'one line of JSON' })
          .example('$0 replay failures/NAME.json', 'says FIXED or FAILED')
          .example('$0 replay session.ndjson', 'says where answers differ from the recorded ones')
          .example('$0 replay session.har', 'says how alike simulator and deployed service are'),
      async (args) => (await import('../replay.js')).replayAny(args),
    );
}
