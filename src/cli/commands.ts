import type { Argv } from 'yargs';
import { defaultEngine } from '../chain/engines/native.js';
import { EMBEDDED_ENGINES } from '../runtime/config.js';
import { JSON_LINE, flag, number, required, text } from './arguments.js';
import { mcpFlags, startFlags } from './flags.js';
import { fuzzFlags, replayFlags } from './fuzz/flags.js';
import { QUEUE_PREFIX } from './queue/flags.js';
import { runFlags } from './run/flags.js';
import { studyFlags } from './study/flags.js';
import { NO_COMMAND } from './unknown-words.js';

const QUEUE = {
  queue: required('URL of the queue, such as redis://127.0.0.1:6379'),
  ...QUEUE_PREFIX,
} as const;

function campaignFlags<T>(y: Argv<T>) {
  return y.positional('name', required('name of the campaign')).options(QUEUE).options(JSON_LINE);
}

const campaigns = () => import('./queue/campaign-commands.js');

/** The first words of the commands below. The commands for a running simulator are loaded for any other. */
export const LOCAL: ReadonlySet<string> = new Set(
  'start demo mcp inspect fuzz job-worker replay run init study worker campaign'.split(' '),
);

function servingCommands(commands: Argv): Argv {
  return commands
    .command('start', 'serve the API', startFlags)
    .command(
      'demo',
      'run one agent through all features and print each step',
      (y) =>
        y
          .option('engine', {
            choices: EMBEDDED_ENGINES,
            default: defaultEngine(),
            describe: 'chain engine',
          })
          .example('$0 demo', 'sign in, deposit, save, borrow, pay, be paid, get credit, withdraw'),
      async (args) => (await import('./demo.js')).demo(args),
    )
    .command('mcp', 'serve the Model Context Protocol on stdin and stdout', mcpFlags, async (args) =>
      (await import('./mcp.js')).mcp(args),
    )
    .command(
      'inspect <file>',
      'open a state file, recording or counterexample in the inspector, without a running simulator',
      (y) =>
        y
          .positional('file', required('a file written by sim state export, sim start --record or sim fuzz'))
          .option('port', { ...number('port of the inspector; 0 picks a free one'), default: 0 })
          .example('$0 inspect world.sim', 'the world of a state file, with its time frozen'),
      async (args) => (await import('./inspect/inspect.js')).inspect(args),
    );
}

function testingCommands(commands: Argv): Argv {
  return commands
    .command(
      'fuzz',
      'search for the shortest sequence of calls that breaks a rule',
      fuzzFlags,
      async (args) => (await import('./fuzz/fuzz.js')).fuzz(args),
    )
    .command(
      'job-worker',
      // Internal: for the processes of --workers.
      false,
      (y) => y,
      async () => (await import('./jobs.js')).jobWorker(),
    )
    .command('replay <file>', 'replay a counterexample or a recording', replayFlags, async (args) =>
      (await import('./replay.js')).replayAny(args),
    )
    .command('run [paths..]', 'run scenarios and check their results', runFlags, async (args) =>
      (await import('./run/run.js')).run(args),
    )
    .command(
      'init [folder]',
      'create a starter project: scenario, agent, GitHub workflow, package.json',
      (y) =>
        y
          .positional('folder', { ...text('target folder'), default: '.' })
          .option('docker', flag('also create a Dockerfile and a Compose file'))
          .option('mcp', flag('also create .mcp.json, the configuration of MCP clients'))
          .option('study', flag('also create a first study, for sim study'))
          .example('$0 init', 'then: sim run'),
      async (args) => (await import('./init/init.js')).init(args),
    )
    .command(
      'study [file]',
      'simulate a population of agents over many runs, and write measurements and a report',
      studyFlags,
      async (args) => (await import('./study/study.js')).study(args),
    );
}

function queueCommands(commands: Argv): Argv {
  return commands
    .command(
      'worker',
      'process the jobs of a queue: sim fuzz, sim run and sim study',
      (y) =>
        y
          .options(QUEUE)
          .option('concurrency', {
            ...number('number of parallel jobs, each in its own process'),
            default: 1,
          })
          .option('lease', {
            ...text('reassign the jobs of a worker after this time without a heartbeat'),
            default: '30s',
          })
          .example(
            '$0 worker --queue redis://queue:6379 --concurrency 8',
            'on each machine; SIGTERM stops it',
          ),
      async (args) => (await import('./queue/worker.js')).work(args),
    )
    .command('campaign', 'list, show and cancel the campaigns of a queue', (y) =>
      y
        .command(
          'list',
          'list the campaigns',
          (z) => z.options(QUEUE).options(JSON_LINE),
          async (args) => (await campaigns()).listCampaigns(args),
        )
        .command('status <name>', 'show the progress of a campaign', campaignFlags, async (args) =>
          (await campaigns()).showStatus(args),
        )
        .command('report <name>', 'print the current result of sim fuzz', campaignFlags, async (args) =>
          (await campaigns()).printReport(args),
        )
        .command(
          'cancel <name>',
          'cancel a campaign; its coordinator reports the current result',
          campaignFlags,
          async (args) => (await campaigns()).cancelCampaign(args),
        )
        .demandCommand(1, NO_COMMAND),
    );
}

/** Adds these commands. Each loads its modules when it runs. */
export function localCommands(commands: Argv): Argv {
  return queueCommands(testingCommands(servingCommands(commands)));
}
