import type { Argv } from 'yargs';
import { EMBEDDED_ENGINES, ENGINES } from '../runtime/config.js';
import type { ArgumentsOf } from './arguments.js';

const CLUSTER_OPTIONS = {
  'cluster-url': { type: 'string', describe: 'engine cluster: the JSON-RPC URL of a node' },
  'treasury-key': {
    type: 'string',
    describe: "engine cluster: the treasury's secret key (base58 or a JSON array), or a file that holds it",
  },
  'usdc-mint': { type: 'string', describe: "engine cluster: USDC mint (default: the network's mint)" },
} as const;

/** The values of an option that takes several words. yargs joins the words of all occurrences. */
function wordList(values: unknown): readonly string[] {
  return values as readonly string[];
}

const ACCOUNT_OPTIONS = {
  account: {
    type: 'string',
    nargs: 2,
    coerce: wordList,
    describe:
      'ADDRESS FILE: load an account from a file of solana account --output json; - uses the address in the file; repeatable',
  },
  'account-dir': {
    type: 'string',
    array: true,
    describe: 'load all accounts from the .json files of a folder; repeatable',
  },
  'bpf-program': {
    type: 'string',
    nargs: 2,
    coerce: wordList,
    describe: 'ADDRESS FILE.so: deploy a program that cannot be upgraded; repeatable',
  },
  'upgradeable-program': {
    type: 'string',
    nargs: 3,
    coerce: wordList,
    describe:
      'ADDRESS FILE.so AUTHORITY: deploy a program that AUTHORITY can upgrade (none: no authority); repeatable',
  },
  clone: {
    type: 'string',
    array: true,
    describe: 'copy an account from the cluster at --clone-url; repeatable',
  },
  'clone-upgradeable-program': {
    type: 'string',
    array: true,
    describe: 'copy a program and its data from that cluster; repeatable',
  },
  'clone-url': { type: 'string', describe: 'JSON-RPC URL that --clone copies from' },
} as const;

const PAYWALL_OPTIONS = {
  paywall: {
    type: 'boolean',
    default: false,
    describe: 'also serve a demo service that charges through x402',
  },
  'paywall-port': {
    type: 'number',
    describe: 'port of the demo service (default 4021, or a free port with --port 0)',
  },
} as const;

const DATA_OPTIONS = {
  'data-dir': {
    type: 'string',
    describe: 'persist the world in this folder; resume the world that the folder holds',
  },
  fsync: {
    choices: ['group', 'always', 'off'] as const,
    describe: 'fsync policy: per batch (group, default), per write (always), or off',
  },
  'compact-at': {
    type: 'number',
    describe:
      'compact the data file when its appended changes reach N times the size of the world (default 4)',
  },
} as const;

const OUTPUT_OPTIONS = {
  json: { type: 'boolean', default: false, describe: 'print one line of JSON when the simulator is ready' },
  keys: { type: 'boolean', default: false, describe: 'also print the secret keys of the wallets' },
  log: { type: 'string', describe: 'append every event to this file, one JSON object per line' },
  record: { type: 'string', describe: 'record requests and responses to this file, for sim replay' },
  quiet: { type: 'boolean', default: false, describe: 'disable the summary and request logging' },
} as const;

export function startFlags(y: Argv) {
  return y
    .option('port', { type: 'number', default: 4020, describe: 'port of the API; 0 picks a free one' })
    .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
    .option('allow-host', {
      type: 'string',
      array: true,
      describe: 'additional host name that clients can use; repeatable',
    })
    .option('cors', {
      type: 'string',
      array: true,
      describe:
        'origin of web pages that can call the API and the RPC, such as http://localhost:5173; repeatable',
    })
    .option('rpc-port', {
      type: 'number',
      describe:
        "port of the chain's JSON-RPC; the next port serves WebSockets (default 8899, or free ports with --port 0)",
    })
    .option('rpc', { type: 'boolean', default: true, describe: 'serve JSON-RPC; --no-rpc disables it' })
    .option('inspector', {
      type: 'boolean',
      default: true,
      describe: 'serve the inspector, a web page; --no-inspector disables it',
    })
    .options(PAYWALL_OPTIONS)
    .option('confirmation-slots', {
      type: 'string',
      describe:
        'slots until a transaction is confirmed and finalized, such as 2 or 2,32 (default 0: immediately)',
    })
    .option('landing-delay', {
      type: 'string',
      describe: 'delay before transactions sent over HTTP run (default 20ms; no delay while time is frozen)',
    })
    .option('history', {
      type: 'number',
      describe:
        'number of snapshots kept, each taken before a request that can write (default 200; 0 keeps none)',
    })
    .option('control-token', {
      type: 'string',
      describe: 'token that the control interface requires; mandatory when --host is not a loopback address',
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
      describe: 'set a variant of the service, name=value; repeatable',
    })
    .option('limit', {
      type: 'string',
      array: true,
      default: [],
      describe: 'set a limit, name=number; see docs/reference/limits.md; repeatable',
    })
    .option('state', {
      type: 'string',
      describe: 'resume from a state file; only --engine and --time can be changed',
    })
    .options(DATA_OPTIONS)
    .options(ACCOUNT_OPTIONS)
    .option('config', { type: 'string', describe: 'JSON file of simulator options' })
    .options(OUTPUT_OPTIONS)
    .example('$0 start --time frozen --variant withdrawals=queued', 'frozen clock, queued withdrawals');
}

export type StartArguments = ArgumentsOf<typeof startFlags>;

export function mcpFlags(y: Argv) {
  return y
    .option('url', {
      type: 'string',
      describe: 'use the running simulator or fork at this URL instead of a new world',
    })
    .option('control-token', { type: 'string', describe: 'with --url: the control token of that simulator' })
    .option('wallet', {
      type: 'string',
      default: '0',
      describe:
        'the wallet to act as: the number of a dev wallet, or a secret key (base58, JSON array, or a file with one)',
    })
    .option('world', {
      type: 'boolean',
      default: false,
      describe: 'also serve the tools that control the world',
    })
    .option('confirm-above', {
      type: 'string',
      describe: 'ask the user before a payment above this amount, such as 1USDC or 1USDC,0.1SOL',
    })
    .option('max-spend', {
      type: 'string',
      describe: 'maximum total spending, such as 20USDC',
    })
    .option('fetch-host', {
      type: 'string',
      array: true,
      describe: 'additional host that fetch_paid can call; repeatable',
    })
    .option('engine', { choices: EMBEDDED_ENGINES, describe: 'chain engine (default bankrun)' })
    .option('seed', { type: 'string', describe: 'seed for all keys and ids (default 1)' })
    .option('time', { type: 'string', describe: 'real (default), frozen, or a factor such as 60x' })
    .option('state', { type: 'string', describe: 'resume from a state file' })
    .option('paywall', PAYWALL_OPTIONS.paywall)
    .example('$0 mcp --world --max-spend 20USDC', 'a new world, with the tools that control it')
    .example(
      '$0 mcp --url http://127.0.0.1:4020 --wallet 3',
      'act as the fourth dev wallet of a running simulator',
    );
}

export type McpArguments = ArgumentsOf<typeof mcpFlags>;
