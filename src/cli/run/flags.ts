import type { Argv } from 'yargs';
import { defaultEngine } from '../../chain/engines/native.js';
import type { ArgumentsOf } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { REPORTERS } from '../../testing/scenario/reporters/reporters.js';

const many = { type: 'string', array: true, default: [] as string[] } as const;

const REPORTER = {
  reporter: {
    ...many,
    describe: `${Object.keys(REPORTERS).join(', ')}; with a file: junit:report.xml; repeatable (default pretty)`,
  },
} as const;

const WHERE = {
  target: {
    choices: ['in-process', 'http'] as const,
    default: 'in-process' as const,
    describe: 'run each scenario in a fresh world in this process, or over real sockets',
  },
  'base-url': { type: 'string', describe: 'test a deployed service, whose world cannot be controlled' },
  'rpc-url': { type: 'string', describe: 'with --base-url: JSON-RPC URL of its chain' },
  wallet: {
    ...many,
    describe: 'with --base-url: secret key, or key file, of a wallet that funds the agents',
  },
  engine: {
    choices: EMBEDDED_ENGINES,
    default: defaultEngine(),
    describe: 'chain engine, unless the scenario sets one',
  },
  seed: { type: 'string', describe: 'seed, unless the scenario sets one' },
} as const;

const WHICH = {
  tag: { ...many, describe: 'only scenarios with this tag; !slow excludes one' },
  grep: { type: 'string', describe: 'only scenarios whose name or file matches this regular expression' },
  shard: { type: 'string', describe: 'run one part of the scenarios, such as 1/3' },
  list: { type: 'boolean', default: false, describe: 'list the scenarios and exit' },
} as const;

const HOW = {
  workers: { type: 'number', default: 1, describe: 'number of parallel processes' },
  ...queueOptions('scenarios', 'name of the run'),
  bail: { type: 'number', describe: 'stop after N failures' },
  retries: { type: 'number', default: 0, describe: 'retry a failed scenario up to N times' },
  timeout: { type: 'number', default: 60, describe: 'time limit per scenario, in seconds' },
  inspect: {
    type: 'boolean',
    default: false,
    describe:
      'serve the worlds of failed scenarios, each after its failed step, with the inspector until Ctrl-C',
  },
} as const;

export function runFlags(y: Argv) {
  return y
    .positional('paths', {
      type: 'string',
      array: true,
      describe: 'files, folders, globs, or one scenario of a file: auth.yaml#2 (default: scenarios)',
    })
    .options(WHERE)
    .options(WHICH)
    .options(HOW)
    .options(REPORTER)
    .example('$0 run scenarios --grep withdraw', 'scenarios about withdrawals')
    .example(
      '$0 run --reporter pretty --reporter junit:report.xml',
      'text on the terminal, and a file for a CI server',
    );
}

export type RunArguments = ArgumentsOf<typeof runFlags>;
