import type { Argv } from 'yargs';
import { defaultEngine } from '../../chain/engines/native.js';
import { manyTexts, type ArgumentsOf, flag, number, text, texts } from '../arguments.js';
import { queueOptions } from '../queue/flags.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { REPORTERS } from '../../testing/scenario/reporters/reporters.js';

const RUN = {
  target: {
    choices: ['in-process', 'http'] as const,
    default: 'in-process' as const,
    describe: 'run each scenario in a fresh world in this process, or over real sockets',
  },
  'base-url': text('test a deployed service, whose world cannot be controlled'),
  'rpc-url': text('with --base-url: JSON-RPC URL of its chain'),
  wallet: manyTexts('with --base-url: secret key, or key file, of a wallet that funds the agents'),
  engine: {
    choices: EMBEDDED_ENGINES,
    default: defaultEngine(),
    describe: 'chain engine, unless the scenario sets one',
  },
  seed: text('seed, unless the scenario sets one'),
  tag: manyTexts('only scenarios with this tag, or without it: !slow'),
  grep: text('only scenarios whose name or file matches this regular expression'),
  shard: text('run one part of the scenarios, such as 1/3'),
  list: flag('list the scenarios and exit'),
  workers: { ...number('number of parallel processes'), default: 1 },
  ...queueOptions('scenarios', 'name of the run'),
  bail: number('stop after N failures'),
  retries: { ...number('retry a failed scenario up to N times'), default: 0 },
  timeout: { ...number('time limit per scenario, in seconds'), default: 60 },
  inspect: flag(
    'serve the worlds of failed scenarios, each after its failed step, with the inspector until Ctrl-C',
  ),
  reporter: manyTexts(
    `${Object.keys(REPORTERS).join(', ')} (json: JSON Lines); with a file: junit:report.xml; repeatable (default pretty)`,
  ),
} as const;

export function runFlags(y: Argv) {
  return y
    .positional(
      'paths',
      texts('files, folders, globs, or one scenario of a file: auth.yaml#2 (default: scenarios)'),
    )
    .options(RUN)
    .example('$0 run scenarios --grep withdraw', 'scenarios about withdrawals')
    .example(
      '$0 run --reporter pretty --reporter junit:report.xml',
      'text on the terminal, and a file for a CI server',
    );
}

export type RunArguments = ArgumentsOf<typeof runFlags>;
