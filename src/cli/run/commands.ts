import type { Argv } from 'yargs';
import { defaultEngine } from '../../chain/engines/native.js';
import { EMBEDDED_ENGINES } from '../../runtime/config.js';
import { REPORTERS } from '../../testing/scenario/reporters/reporters.js';

const many = { type: 'string', array: true, default: [] as string[] } as const;

const REPORTER = {
  reporter: {
    ...many,
    describe: `${Object.keys(REPORTERS).join(', ')}; with a file: junit:report.xml. May be repeated (default pretty)`,
  },
} as const;

const WHERE = {
  target: {
    choices: ['in-process', 'http'] as const,
    default: 'in-process' as const,
    describe: 'a fresh world for each scenario: in this process, or behind real sockets',
  },
  'base-url': { type: 'string', describe: 'a deployed service instead; nobody controls its world' },
  'rpc-url': { type: 'string', describe: 'with --base-url: the JSON-RPC of its chain' },
  wallet: {
    ...many,
    describe: 'with --base-url: the secret key of a wallet that funds the agents, or a file that holds it',
  },
  engine: {
    choices: EMBEDDED_ENGINES,
    default: defaultEngine(),
    describe: 'the chain underneath, where a scenario does not say',
  },
  seed: { type: 'string', describe: 'of worlds whose scenario has none' },
} as const;

const WHICH = {
  tag: { ...many, describe: 'only scenarios with this tag; !slow leaves out' },
  grep: { type: 'string', describe: 'only scenarios whose name or file this expression finds' },
  shard: { type: 'string', describe: 'one part of several, such as 1/3' },
  durations: {
    type: 'string',
    describe: 'a file of how long scenarios take: balances shards, is written by a run of all',
  },
  list: { type: 'boolean', default: false, describe: 'list the scenarios and play none' },
} as const;

const HOW = {
  workers: { type: 'number', default: 1, describe: 'processes that play at the same time' },
  bail: { type: 'number', describe: 'begin nothing more after so many failures' },
  retries: { type: 'number', default: 0, describe: 'play a failed scenario again, so many times' },
  timeout: { type: 'number', default: 60, describe: 'seconds that a scenario may take' },
  watch: { type: 'boolean', default: false, describe: 'play again whenever a file changes' },
} as const;

/** The flags of `sim run`. */
function runFlags<T>(y: Argv<T>) {
  return y
    .positional('paths', {
      type: 'string',
      array: true,
      describe: 'files, folders, globs, or one scenario of a file: auth.yaml#2 (default scenarios)',
    })
    .options(WHERE)
    .options(WHICH)
    .options(HOW)
    .options(REPORTER)
    .example('$0 run scenarios --grep withdraw', 'play what is about withdrawals')
    .example('$0 run --reporter pretty --reporter junit:report.xml', 'for people and for a CI server');
}

/** Adds the commands that play scenarios. `argv` is the whole command line. */
export function scenarioCommands<T>(commands: Argv<T>, argv: readonly string[]): Argv {
  return (commands as Argv)
    .command('run [paths..]', 'play scenarios and prove what comes of them', runFlags, async (args) =>
      (await import('./run.js')).run(args, argv.slice(1)),
    )
    .command(
      'run-worker [paths..]',
      // For the processes of --workers only.
      false,
      runFlags,
      async (args) => (await import('./run-worker.js')).runWorker(args),
    )
    .command(
      'merge-reports <reports..>',
      'join the json reports of shards',
      (y) =>
        y
          .positional('reports', { type: 'string', array: true, demandOption: true, describe: 'files' })
          .options(REPORTER)
          .example('$0 merge-reports shard-*.ndjson --reporter html:report.html', 'one page of all'),
      async (args) => (await import('./merge-reports.js')).mergeReportFiles(args),
    )
    .command(
      'init [folder]',
      'write a starter: a scenario, an agent, a GitHub workflow, package.json',
      (y) =>
        y
          .positional('folder', { type: 'string', default: '.', describe: 'where to' })
          .option('docker', {
            type: 'boolean',
            default: false,
            describe: 'a Dockerfile and a Compose file too',
          })
          .example('$0 init', 'then: sim run'),
      async (args) => (await import('../init/init.js')).init(args),
    );
}
