import yargs, { type Argv } from 'yargs';
import { EMBEDDED_ENGINES, ENGINES } from '../runtime/config.js';
import { EngineUnavailable, defaultEngine } from '../chain/engines/native.js';
import { packageVersion } from '../core/package-root.js';
import { UnreadableFile } from '../core/user-file.js';
import { printableLines } from '../core/printable.js';
import { OVERVIEW } from './overview.js';
import {
  type CommandHelp,
  type CommandParser,
  NO_COMMAND,
  YARGS_TEXTS,
  usageText,
  valueProblem,
} from './unknown-words.js';
import { EXIT, RemoteRefusal, UnknownName, UsageError } from './usage.js';
import { openFilesSentence } from './open-files.js';

const TAIL = 'Exit codes: 0 success, 1 a check or a request failed, 2 usage error.';

/** Commands for scenarios and studies; `FUZZING` has those for counterexamples. */
const SCENARIOS = new Set(['run', 'init', 'study', 'worker', 'campaign']);
const FUZZING = new Set(['fuzz', 'job-worker', 'replay']);

const CLUSTER_OPTIONS = {
  'cluster-url': { type: 'string', describe: 'engine cluster: the JSON-RPC URL of a node' },
  'treasury-key': {
    type: 'string',
    describe: "engine cluster: the treasury's secret key (base58 or a JSON array), or a file that holds it",
  },
  'usdc-mint': { type: 'string', describe: "engine cluster: USDC mint, instead of the network's" },
} as const;

/** The values of an option that takes several words: yargs joins those of all its occurrences. */
function wordList(values: unknown): readonly string[] {
  return values as readonly string[];
}

const ACCOUNT_OPTIONS = {
  account: {
    type: 'string',
    nargs: 2,
    coerce: wordList,
    describe:
      'ADDRESS FILE: begin with the account in a file of solana account --output json; - for the address in the file; repeatable',
  },
  'account-dir': {
    type: 'string',
    array: true,
    describe: 'begin with all accounts in the .json files of a folder; repeatable',
  },
  'bpf-program': {
    type: 'string',
    nargs: 2,
    coerce: wordList,
    describe: 'ADDRESS FILE.so: begin with a program, which is final; repeatable',
  },
  'upgradeable-program': {
    type: 'string',
    nargs: 3,
    coerce: wordList,
    describe:
      'ADDRESS FILE.so AUTHORITY: begin with a program that AUTHORITY may upgrade (none: nobody); repeatable',
  },
  clone: {
    type: 'string',
    array: true,
    describe: 'begin with a copy of an account of the cluster at --clone-url; repeatable',
  },
  'clone-upgradeable-program': {
    type: 'string',
    array: true,
    describe: 'begin with a copy of a program and its data; repeatable',
  },
  'clone-url': { type: 'string', describe: 'JSON-RPC URL that --clone copies from' },
} as const;

const PAYWALL_OPTIONS = {
  paywall: {
    type: 'boolean',
    default: false,
    describe: 'also serve a demo service that sells by x402',
  },
  'paywall-port': {
    type: 'number',
    describe: 'port of the demo service (default 4021, or a free port with --port 0)',
  },
} as const;

const DATA_OPTIONS = {
  'data-dir': {
    type: 'string',
    describe: 'persist the world in this folder, resuming what it holds',
  },
  fsync: {
    choices: ['group', 'always', 'off'] as const,
    describe: 'fsync policy: per batch (group, default), per write (always), or off',
  },
  'compact-at': {
    type: 'number',
    describe: 'compact the data file when appended changes reach N times the size of the world (default 4)',
  },
} as const;

const OUTPUT_OPTIONS = {
  json: { type: 'boolean', default: false, describe: 'print one line of JSON when ready' },
  keys: { type: 'boolean', default: false, describe: 'print the secret keys of the wallets, too' },
  log: { type: 'string', describe: 'append every event to this file, one JSON object per line' },
  record: { type: 'string', describe: 'record requests and answers to this file, for sim replay' },
  quiet: { type: 'boolean', default: false, describe: 'disable the summary and request logging' },
} as const;

/** The flags of `sim start`. */
function startFlags<T>(y: Argv<T>) {
  return y
    .option('port', { type: 'number', default: 4020, describe: 'port of the API; 0 picks a free one' })
    .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
    .option('allow-host', {
      type: 'string',
      array: true,
      describe: 'additional host name that clients may use; repeatable',
    })
    .option('cors', {
      type: 'string',
      array: true,
      describe:
        'origin of pages that may call the API and the RPC, such as http://localhost:5173; repeatable',
    })
    .option('rpc-port', {
      type: 'number',
      describe:
        "port of the chain's JSON-RPC; WebSockets also on the next port (default 8899, or free ports with --port 0)",
    })
    .option('rpc', { type: 'boolean', default: true, describe: 'serve JSON-RPC; --no-rpc disables it' })
    .option('inspector', {
      type: 'boolean',
      default: true,
      describe: 'serve the inspector, a page for browsers; --no-inspector disables it',
    })
    .options(PAYWALL_OPTIONS)
    .option('confirmation-slots', {
      type: 'string',
      describe: 'slots until a transaction is confirmed and finalized: 2, or 2,32 (default 0: immediately)',
    })
    .option('landing-delay', {
      type: 'string',
      describe:
        'how long transactions sent over HTTP wait before they run (default 20ms; none while time is frozen)',
    })
    .option('history', {
      type: 'number',
      describe: 'snapshots kept before the last requests that may write (default 200; 0 for none)',
    })
    .option('control-token', {
      type: 'string',
      describe: 'token required by the control interface; mandatory beyond loopback',
    })
    .option('engine', { choices: ENGINES, describe: 'chain engine (default bankrun)' })
    .options(CLUSTER_OPTIONS)
    .option('seed', { type: 'string', describe: 'seed for all keys and ids (default 1)' })
    .option('time', { type: 'string', describe: 'real (default), frozen, or a factor such as 60x' })
    .option('start-time', { type: 'string', describe: 'initial time, ISO 8601' })
    .option('variant', {
      type: 'string',
      array: true,
      default: [],
      describe: 'variant of the service, name=value; repeatable',
    })
    .option('limit', {
      type: 'string',
      array: true,
      default: [],
      describe: 'limit of the bank or on callers, name=number (docs/limits.md); repeatable',
    })
    .option('state', {
      type: 'string',
      describe: 'resume from a file of sim state export; only --engine and --time may be changed',
    })
    .options(DATA_OPTIONS)
    .options(ACCOUNT_OPTIONS)
    .option('config', { type: 'string', describe: 'JSON file of simulator options' })
    .options(OUTPUT_OPTIONS)
    .example('$0 start --time frozen --variant withdrawals=queued', 'frozen clock, queued withdrawals');
}

/** The flags of `sim mcp`. */
function mcpFlags<T>(y: Argv<T>) {
  return y
    .option('url', {
      type: 'string',
      describe: 'use the running simulator, or fork, at this URL instead of a world of its own',
    })
    .option('control-token', { type: 'string', describe: 'with --url: its control token' })
    .option('wallet', {
      type: 'string',
      default: '0',
      describe:
        'the wallet to act as: the number of a dev wallet, or a secret key (base58, JSON array, or a file with one)',
    })
    .option('world', {
      type: 'boolean',
      default: false,
      describe: 'also offer the tools that control the world',
    })
    .option('confirm-above', {
      type: 'string',
      describe: 'ask the user before paying more at once, such as 1USDC or 1USDC,0.1SOL',
    })
    .option('max-spend', {
      type: 'string',
      describe: 'the most that may be spent altogether, such as 20USDC',
    })
    .option('fetch-host', {
      type: 'string',
      array: true,
      describe: 'host besides this machine that fetch_paid may call; repeatable',
    })
    .option('engine', { choices: EMBEDDED_ENGINES, describe: 'chain engine (default bankrun)' })
    .option('seed', { type: 'string', describe: 'seed for all keys and ids (default 1)' })
    .option('time', { type: 'string', describe: 'real (default), frozen, or a factor such as 60x' })
    .option('state', { type: 'string', describe: 'resume from a file of sim state export' })
    .option('paywall', PAYWALL_OPTIONS.paywall)
    .example('$0 mcp --world --max-spend 20USDC', 'a world of its own, with the tools that control it')
    .example('$0 mcp --url http://127.0.0.1:4020 --wallet 3', 'the fourth dev wallet of a running simulator');
}

/** Adds commands besides `start` and `demo`; loads only those that may be meant, to start quickly. */
async function withOthers(commands: Argv, argv: readonly string[]): Promise<Argv> {
  const [name = ''] = argv;
  if (name === 'demo') return commands;
  const { fuzzCommands } = await import('./fuzz/commands.js');
  const fuzzing = fuzzCommands(commands);
  if (FUZZING.has(name)) return fuzzing;
  const { scenarioCommands } = await import('./run/commands.js');
  const { studyCommands } = await import('./study/commands.js');
  const { queueCommands } = await import('./queue/commands.js');
  const all = queueCommands(studyCommands(scenarioCommands(fuzzing)));
  return SCENARIOS.has(name) ? all : (await import('./remote/commands.js')).remoteCommands(all);
}

/** Settings shared by all commands: parsing and usage errors. */
function configured<T>(commands: Argv<T>, argv: readonly string[]): Argv<T> {
  return commands
    .strict()
    .updateStrings(YARGS_TEXTS as never)
    .check((values) => {
      const problem = valueProblem(values, argv);
      if (problem !== null) throw new UsageError(problem);
      return true;
    })
    .version(packageVersion())
    .epilogue(TAIL)
    .fail((message, error, help) => {
      // A message for wrong words, or the exception of a command. Its type of the last argument is wrong.
      if (error?.name === 'YError') throw new UsageError(error.message);
      const failed = { help: help as unknown as CommandHelp, parser: commands as unknown as CommandParser };
      throw error ?? new UnknownName(usageText(message, argv, failed));
    })
    .exitProcess(false);
}

// A repeatable option takes one value each time, not all that follow.
const PARSER = { 'greedy-arrays': false };

/** What a lone `-` is called while yargs parses it: as it is, yargs takes it for an option without a value. */
const DASH = '\0-';

function parserOf(argv: readonly string[]): Argv {
  return yargs(argv.map((word) => (word === '-' ? DASH : word)))
    .scriptName('sim')
    .parserConfiguration(PARSER)
    .middleware((values) => {
      for (const [name, value] of Object.entries(values)) {
        if (value === DASH) values[name] = '-';
        else if (Array.isArray(value))
          values[name] = value.map((each: unknown) => (each === DASH ? '-' : each));
      }
    }, true);
}

/** Runs `sim start`, parsed without the other commands: with several commands, yargs renders all help before running one. */
async function performStart(argv: readonly string[]): Promise<void> {
  const flags = startFlags(parserOf(argv.slice(1)).usage('$0 start\n\nserve the API'));
  const { _: more, help, version, ...args } = await configured(flags, argv).parseAsync();
  if (help === true || version === true) return;
  if (more.length > 0) throw new UsageError(`too many arguments: ${more.join(' ')}`);
  await (await import('./start.js')).start(args);
}

async function perform(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'start') {
    await performStart(argv);
    return;
  }
  if (argv.length === 1 && argv[0] === '--help') {
    process.stdout.write(`${OVERVIEW}${TAIL}\n`);
    return;
  }
  const commands = parserOf(argv)
    .usage('$0 <command>: simulates a bank for software agents on a local Solana chain')
    .command('start', 'serve the API', startFlags)
    .command(
      'demo',
      'walk one agent through all features, printing each step',
      (y) =>
        y
          .option('engine', {
            choices: EMBEDDED_ENGINES,
            default: defaultEngine(),
            describe: 'chain engine',
          })
          .example('$0 demo', 'sign in, deposit, save, borrow, pay, be paid, get credit, withdraw'),
      async (args) => (await import('./demo.js')).demo(args),
    );
  commands.command('mcp', 'serve the Model Context Protocol on stdin and stdout', mcpFlags, async (args) =>
    (await import('./mcp.js')).mcp(args),
  );
  commands.command(
    'inspect <file>',
    'open a state file, a recording or an event log in the inspector, without a running bank',
    (y) =>
      y
        .positional('file', {
          type: 'string',
          demandOption: true,
          describe: 'of sim state export, sim start --record, or sim start --log',
        })
        .option('port', { type: 'number', default: 0, describe: 'port of the page; 0 picks a free one' })
        .example('$0 inspect world.sim', 'the world of a state file, with its time frozen'),
    async (args) => (await import('./inspect/inspect.js')).inspect(args),
  );
  const all = await withOthers(commands, argv);
  await configured(all.demandCommand(1, NO_COMMAND), argv).parseAsync();
}

const PLAIN = [RemoteRefusal, UsageError, UnreadableFile, EngineUnavailable];

/** Whether the message of an error says all that the user needs. */
function isPlain(error: unknown): error is Error {
  return PLAIN.some((kind) => error instanceof kind);
}

/** The text of a failure on stderr: one line for errors that the user can fix, a stack for bugs. */
function textOf(error: unknown): string {
  if (error instanceof UnknownName) return error.message;
  if (isPlain(error)) return error.message.replaceAll('\n', ' ');
  // What Redis refuses, such as to store more than it may.
  if (error instanceof Error && error.name === 'ReplyError')
    return `the queue cannot be used: ${error.message}`;
  return openFilesSentence(error) ?? stackOf(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a command and returns its exit code; failures are reported on stderr. */
export async function sim(argv: readonly string[]): Promise<number> {
  try {
    await perform(argv);
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(`sim: ${printableLines(textOf(error))}\n`);
    return error instanceof UsageError || error instanceof UnreadableFile ? EXIT.usage : EXIT.failed;
  }
}
