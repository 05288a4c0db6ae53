import yargs, { type Argv } from 'yargs';
import { EMBEDDED_ENGINES, ENGINES } from '../config.js';
import { EXIT, RemoteRefusal, UsageError } from './usage.js';

const TAIL = 'Exit codes: 0 held, 1 a check failed, 2 wrong usage.';

/** Commands that talk to no running simulator. */
const LOCAL = new Set(['start', 'demo', 'run']);

const CLUSTER_OPTIONS = {
  'cluster-url': { type: 'string', describe: 'engine cluster: the JSON-RPC URL of a node' },
  'treasury-key': {
    type: 'string',
    describe: "engine cluster: a file with the treasury's secret key, as solana-keygen writes it",
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

/** The flags of `sim start`. */
function startFlags<T>(y: Argv<T>) {
  return y
    .option('port', { type: 'number', default: 4020, describe: 'port of the API; 0 takes a free one' })
    .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
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
    .option('quiet', { type: 'boolean', default: false, describe: 'no summary, no line a request' })
    .example('$0 start --time frozen --variant withdrawals=queued', 'time stands still, withdrawals wait');
}

/** The flags of `sim run`. */
function runFlags<T>(y: Argv<T>) {
  const many = { type: 'string', array: true, default: [] as string[] } as const;
  return y
    .positional('paths', {
      type: 'string',
      array: true,
      describe: 'files, folders or globs (default scenarios)',
    })
    .option('target', {
      choices: ['in-process', 'http'] as const,
      default: 'in-process' as const,
      describe: 'a fresh world for each scenario: in this process, or behind real sockets',
    })
    .option('base-url', { type: 'string', describe: 'a deployed service instead; nobody controls its world' })
    .option('rpc-url', { type: 'string', describe: 'with --base-url: the JSON-RPC of its chain' })
    .option('wallet', { ...many, describe: 'with --base-url: a file with a secret key, for the next agent' })
    .option('engine', {
      choices: EMBEDDED_ENGINES,
      default: 'bankrun' as const,
      describe: 'the chain underneath, where a scenario does not say',
    })
    .option('seed', { type: 'string', describe: 'of worlds whose scenario has none' })
    .option('tag', { ...many, describe: 'only scenarios with this tag; !slow leaves out' })
    .option('grep', { type: 'string', describe: 'only scenarios whose name or file this expression finds' })
    .option('bail', { type: 'number', describe: 'stop after so many failures' })
    .option('list', { type: 'boolean', default: false, describe: 'list the scenarios and play none' })
    .option('timeout', { type: 'number', default: 60, describe: 'seconds that a scenario may take' })
    .example('$0 run scenarios --grep withdraw', 'play what is about withdrawals');
}

async function perform(argv: readonly string[]): Promise<void> {
  const commands = yargs(argv)
    .scriptName('sim')
    .usage('$0 <command>: a bank for software agents, simulated on a Solana chain in this process')
    .command('start', 'serve the API', startFlags, async (args) => (await import('./start.js')).start(args))
    .command(
      'demo',
      'play one agent through everything and print each step',
      (y) =>
        y
          .option('engine', {
            choices: EMBEDDED_ENGINES,
            default: 'bankrun' as const,
            describe: 'the chain underneath',
          })
          .example('$0 demo', 'sign in, deposit, save, borrow, pay, be paid, get credit, withdraw'),
      async (args) => (await import('./demo.js')).demo(args),
    )
    .command('run [paths..]', 'play scenarios and prove what comes of them', runFlags, async (args) =>
      (await import('./run.js')).run(args),
    );
  // The others need not be loaded for a start, which is to be quick.
  const isLocal = LOCAL.has(argv[0] ?? '');
  const all = isLocal ? commands : (await import('./remote/commands.js')).remoteCommands(commands);
  await all
    .demandCommand(
      1,
      'Name a command: start, run, demo, time, faucet, oracle, review, fault, snapshot, revert, fork or explain.',
    )
    .strict()
    .epilogue(TAIL)
    .fail((message, error) => {
      // yargs gives a message for wrong usage, an error for what a command threw.
      throw error ?? new UsageError(message);
    })
    .exitProcess(false)
    .parseAsync();
}

/** Runs a command to its end. Gives its exit code; what went wrong is told on stderr. */
export async function sim(argv: readonly string[]): Promise<number> {
  try {
    await perform(argv);
    return EXIT.ok;
  } catch (error) {
    const isTold = error instanceof RemoteRefusal || error instanceof UsageError;
    const text = isTold
      ? error.message.replaceAll('\n', ' ')
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
    process.stderr.write(`sim: ${text}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}
