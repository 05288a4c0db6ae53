import yargs, { type Argv } from 'yargs';
import { EMBEDDED_ENGINES, ENGINES } from '../runtime/config.js';
import { EngineUnavailable, defaultEngine } from '../chain/engines/native.js';
import { packageVersion } from '../core/package-root.js';
import { printableLines } from '../core/printable.js';
import { type CommandHelp, NO_COMMAND, type OptionGroups, usageText, valueProblem } from './unknown-words.js';
import { EXIT, RemoteRefusal, UnknownName, UsageError } from './usage.js';
import { openFilesSentence } from './open-files.js';

const TAIL = 'Exit codes: 0 held, 1 a check failed, 2 wrong usage.';

/** Commands that play scenarios, and those that look for counterexamples. */
const SCENARIOS = new Set(['run', 'run-worker', 'merge-reports', 'init']);
const FUZZING = new Set(['fuzz', 'fuzz-worker', 'replay']);

const CLUSTER_OPTIONS = {
  'cluster-url': { type: 'string', describe: 'engine cluster: the JSON-RPC URL of a node' },
  'treasury-key': {
    type: 'string',
    describe: "engine cluster: the treasury's secret key (base58 or a JSON array), or a file that holds it",
  },
  'usdc-mint': { type: 'string', describe: "engine cluster: another mint than the network's" },
} as const;

const PAYWALL_OPTIONS = {
  paywall: {
    type: 'boolean',
    default: false,
    describe: 'serve a demo service too, where an agent can buy by x402',
  },
  'paywall-port': {
    type: 'number',
    describe: 'port of the demo service (default 4021, or a free one with --port 0)',
  },
} as const;

const DATA_OPTIONS = {
  'data-dir': {
    type: 'string',
    describe: 'keep the world in this folder, and go on from what is there',
  },
  fsync: {
    choices: ['group', 'always', 'off'] as const,
    describe: 'bring it to the disk before an answer: for all that wait (default), for each, or not',
  },
  'compact-at': {
    type: 'number',
    describe: 'compact the file when what was appended is so many times the world before it (default 4)',
  },
} as const;

/** The flags of `sim start`. */
function startFlags<T>(y: Argv<T>) {
  return y
    .option('port', { type: 'number', default: 4020, describe: 'port of the API; 0 takes a free one' })
    .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
    .option('allow-host', {
      type: 'string',
      array: true,
      describe: 'a name besides by which clients call this host; may be repeated',
    })
    .option('rpc-port', {
      type: 'number',
      describe:
        "port of the chain's JSON-RPC, WebSockets also on the next one (default 8899, or free ones with --port 0)",
    })
    .option('rpc', { type: 'boolean', default: true, describe: 'serve JSON-RPC; --no-rpc does not' })
    .options(PAYWALL_OPTIONS)
    .option('confirmation-slots', {
      type: 'string',
      describe: 'slots until a transaction is confirmed and finalized: 2, or 2,32 (default 0: at once)',
    })
    .option('control-token', {
      type: 'string',
      describe: 'callers of the control interface must send it; needed beyond loopback',
    })
    .option('engine', { choices: ENGINES, describe: 'the chain underneath (default bankrun)' })
    .options(CLUSTER_OPTIONS)
    .option('seed', { type: 'string', describe: 'seed of all keys and ids (default 1)' })
    .option('time', { type: 'string', describe: 'real (default), frozen, or a factor such as 60x' })
    .option('start-time', { type: 'string', describe: 'where time begins, ISO 8601' })
    .option('variant', {
      type: 'string',
      array: true,
      default: [],
      describe: 'a switch, name=value; may be repeated',
    })
    .option('limit', {
      type: 'string',
      array: true,
      default: [],
      describe: 'what callers may have at most, name=number (docs/limits.md); may be repeated',
    })
    .option('state', {
      type: 'string',
      describe: 'go on from this file of sim state export; only --engine and --time can be chosen besides',
    })
    .options(DATA_OPTIONS)
    .option('config', { type: 'string', describe: 'a JSON file of simulator options' })
    .option('json', {
      type: 'boolean',
      default: false,
      describe: 'one line of JSON on stdout when ready',
    })
    .option('log', {
      type: 'string',
      describe: 'append every event to this file, a JSON object a line',
    })
    .option('record', {
      type: 'string',
      describe: 'write what comes in and is answered to this file, for sim replay',
    })
    .option('quiet', { type: 'boolean', default: false, describe: 'no summary, no line a request' })
    .example('$0 --time frozen --variant withdrawals=queued', 'time stands still, withdrawals wait');
}

/** The commands beside `start` and `demo`; of those only the ones that may be meant are loaded, since a start is to be quick. */
async function withOthers(commands: Argv, argv: readonly string[]): Promise<Argv> {
  const [name = ''] = argv;
  if (name === 'demo') return commands;
  const { fuzzCommands } = await import('./fuzz/commands.js');
  const fuzzing = fuzzCommands(commands, argv);
  if (FUZZING.has(name)) return fuzzing;
  const { scenarioCommands } = await import('./run/commands.js');
  const all = scenarioCommands(fuzzing, argv);
  return SCENARIOS.has(name) ? all : (await import('./remote/commands.js')).remoteCommands(all);
}

/** What all commands have in common: how they parse, and what they say of wrong usage. */
function configured<T>(commands: Argv<T>, argv: readonly string[]): Argv<T> {
  return commands
    .strict()
    .check((values) => {
      const problem = valueProblem(values, argv);
      if (problem !== null) throw new UsageError(problem);
      return true;
    })
    .version(packageVersion())
    .epilogue(TAIL)
    .fail((message, error, help) => {
      // yargs gives a message for wrong usage, an error for what a command threw. Its types have the last argument wrong.
      const known = { help: help as unknown as CommandHelp, groups: commands as unknown as OptionGroups };
      throw error ?? new UnknownName(usageText(message, argv, known));
    })
    .exitProcess(false);
}

// An option that may be repeated takes one value each time, not all that follow.
const PARSER = { 'greedy-arrays': false };

/** `sim start`, parsed without the other commands: for a command among others yargs renders all help before it runs it. */
async function performStart(argv: readonly string[]): Promise<void> {
  const flags = startFlags(
    yargs(argv.slice(1)).scriptName('sim start').parserConfiguration(PARSER).usage('$0\n\nserve the API'),
  );
  const { _: more, help, version, ...args } = await configured(flags, argv).parseAsync();
  if (help === true || version === true) return;
  if (more.length > 0) throw new UsageError(`there are too many arguments: ${more.join(' ')}`);
  await (await import('./start.js')).start(args);
}

async function perform(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'start') {
    await performStart(argv);
    return;
  }
  const commands = yargs(argv)
    .scriptName('sim')
    .parserConfiguration(PARSER)
    .usage('$0 <command>: a bank for software agents, simulated on a Solana chain in this process')
    .command('start', 'serve the API', startFlags)
    .command(
      'demo',
      'play one agent through everything and print each step',
      (y) =>
        y
          .option('engine', {
            choices: EMBEDDED_ENGINES,
            default: defaultEngine(),
            describe: 'the chain underneath',
          })
          .example('$0 demo', 'sign in, deposit, save, borrow, pay, be paid, get credit, withdraw'),
      async (args) => (await import('./demo.js')).demo(args),
    );
  const all = await withOthers(commands, argv);
  await configured(all.demandCommand(1, NO_COMMAND), argv).parseAsync();
}

/** What stderr says of a failure: one line for what the user can mend, the stack of what is a bug. */
function textOf(error: unknown): string {
  if (error instanceof UnknownName) return error.message;
  if (error instanceof RemoteRefusal || error instanceof UsageError || error instanceof EngineUnavailable)
    return error.message.replaceAll('\n', ' ');
  return openFilesSentence(error) ?? stackOf(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a command to its end. Gives its exit code; what went wrong is told on stderr. */
export async function sim(argv: readonly string[]): Promise<number> {
  try {
    await perform(argv);
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(`sim: ${printableLines(textOf(error))}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}
