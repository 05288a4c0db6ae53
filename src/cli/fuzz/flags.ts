import type { Argv } from 'yargs';
import { manyTexts, type ArgumentsOf, JSON_LINE, flag, number, required, text } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { PROPERTY_NAMES } from '../../testing/fuzz/campaign/property-names.js';

const FLAGS = {
  property: { choices: PROPERTY_NAMES, default: 'everything', describe: 'property to test' },
  runs: number('number of sequences (default 1000, or as many as fit into --time-budget)'),
  'time-budget': text('start no sequence after this time: 60s, 10m'),
  seed: {
    ...number('random seed, 0 to 2147483647; a run depends only on its seed, its number and --corpus'),
    default: 1,
  },
  path: { ...number('number of the first run'), default: 0 },
  engine: {
    choices: EMBEDDED_ENGINES,
    default: 'litesvm' as const,
    describe: 'chain engine; a failure is also replayed on the other engine',
  },
  variant: manyTexts('set a variant of the service, name=value; repeatable'),
  limit: manyTexts('set a limit that the model knows, name=number; see docs/reference/limits.md; repeatable'),
  workers: { ...number('number of parallel processes; does not change the result'), default: 1 },
  ...queueOptions('fuzz', 'name of the campaign; an existing campaign continues'),
  corpus: text('folder of sequences to start from; the search adds new sequences'),
  out: {
    ...text('folder of counterexamples; the search first replays the existing ones'),
    default: 'failures',
  },
  json: flag('print the result as one line of JSON'),
} as const;

export function fuzzFlags(y: Argv) {
  return y
    .options(FLAGS)
    .example('$0 fuzz --time-budget 60s', 'search for a minute')
    .example('$0 fuzz --property limits --seed 7', 'test the limits by other sequences');
}

export type FuzzArguments = ArgumentsOf<typeof fuzzFlags>;

export function replayFlags(y: Argv) {
  return y
    .positional('file', required('failures/NAME.json or a recording'))
    .option('engine', {
      choices: EMBEDDED_ENGINES,
      describe: 'chain engine (default: the engine of the recording)',
    })
    .option('log', text('recordings: append every event to this file'))
    .option('all', flag('recordings: show every difference'))
    .options(JSON_LINE)
    .example('$0 replay failures/NAME.json', 'prints FIXED or FAILED')
    .example('$0 replay session.ndjson', 'lists the responses that differ from the recording');
}

export type ReplayArguments = ArgumentsOf<typeof replayFlags>;
