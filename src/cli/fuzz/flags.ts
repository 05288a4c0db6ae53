import type { Argv } from 'yargs';
import { type ArgumentsOf, JSON_LINE } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { PROPERTY_NAMES } from '../../testing/fuzz/campaign/property-names.js';

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
  ...queueOptions('fuzz', 'name of the campaign; an existing campaign continues'),
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

export function fuzzFlags(y: Argv) {
  return y
    .options(WHAT)
    .options(WHO)
    .options(FILES)
    .example('$0 fuzz --time-budget 60s', 'search for a minute')
    .example('$0 fuzz --property limits --seed 7 --report html', 'test the limits and write a report');
}

export type FuzzArguments = ArgumentsOf<typeof fuzzFlags>;

export function corpusFlags(y: Argv) {
  return y
    .positional('folder', { type: 'string', default: 'corpus', describe: 'folder of the corpus' })
    .options(JSON_LINE);
}

export type CorpusArguments = ArgumentsOf<typeof corpusFlags>;

export function replayFlags(y: Argv) {
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
    .options(JSON_LINE)
    .example('$0 replay failures/NAME.json', 'prints FIXED or FAILED')
    .example('$0 replay session.ndjson', 'lists the responses that differ from the recording');
}

export type ReplayArguments = ArgumentsOf<typeof replayFlags>;
