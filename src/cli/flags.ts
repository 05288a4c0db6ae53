import type { Argv } from 'yargs';
import { EMBEDDED_ENGINES, ENGINES } from '../runtime/config.js';
import { type ArgumentsOf, flag, manyTexts, number, text, texts } from './arguments.js';

const WORLD = {
  seed: text('seed for all keys and ids (default 1)'),
  time: text('real (default), frozen, or a factor such as 60x'),
} as const;

const START = {
  port: { ...number('port of the API; 0 picks a free one'), default: 4020 },
  host: { ...text('address to listen on'), default: '127.0.0.1' },
  'allow-host': texts('additional host name that clients can use; repeatable'),
  cors: texts(
    'origin of web pages that can call the API and the RPC, such as http://localhost:5173; repeatable',
  ),
  'rpc-port': number(
    "port of the chain's JSON-RPC; the next port serves WebSockets (default 8899, or free ports with --port 0)",
  ),
  rpc: { type: 'boolean', default: true, describe: 'serve JSON-RPC; --no-rpc disables it' },
  inspector: {
    type: 'boolean',
    default: true,
    describe: 'serve the inspector, a web page; --no-inspector disables it',
  },
  paywall: flag('also serve a demo service that charges through x402'),
  'paywall-port': number('port of the demo service (default 4021, or a free port with --port 0)'),
  'confirmation-slots': text(
    'slots until a transaction is confirmed and finalized, such as 2 or 2,32 (default 0: immediately)',
  ),
  'landing-delay': text(
    'delay before transactions sent over HTTP run (default 20ms; no delay while time is frozen)',
  ),
  history: number(
    'number of snapshots kept, each taken before a request that can write (default 200; 0 keeps none)',
  ),
  'control-token': text(
    'token that the control interface requires; mandatory when --host is not a loopback address',
  ),
  engine: { choices: ENGINES, describe: 'chain engine (default bankrun)' },
  'cluster-url': text('engine cluster: the JSON-RPC URL of a node'),
  'treasury-key': text(
    "engine cluster: the treasury's secret key (base58 or a JSON array), or a file that holds it",
  ),
  'usdc-mint': text("engine cluster: USDC mint (default: the network's mint)"),
  ...WORLD,
  'start-time': text('initial time, ISO 8601'),
  variant: manyTexts('set a variant of the service, name=value; repeatable'),
  limit: manyTexts('set a limit, name=number; see docs/reference/limits.md; repeatable'),
  state: text('resume from a state file; only --engine and --time can be changed'),
  'data-dir': text('persist the world in this folder; resume the world that the folder holds'),
  fsync: {
    choices: ['group', 'always', 'off'] as const,
    describe: 'fsync policy: per batch (group, default), per write (always), or off',
  },
  'compact-at': number(
    'compact the data file when its appended changes reach N times the size of the world (default 4)',
  ),
  config: text('JSON file of simulator options'),
  json: flag('print one line of JSON when the simulator is ready'),
  keys: flag('also print the secret keys of the wallets'),
  log: text('append every event to this file, one JSON object per line'),
  record: text('record requests and responses to this file, for sim replay'),
  quiet: flag('disable the summary and request logging'),
} as const;

export function startFlags(y: Argv) {
  return y
    .options(START)
    .example('$0 start --time frozen --variant withdrawals=queued', 'frozen clock, queued withdrawals');
}

export type StartArguments = ArgumentsOf<typeof startFlags>;

export function mcpFlags(y: Argv) {
  return y
    .options({
      url: text('use the running simulator or fork at this URL instead of a new world'),
      'control-token': text('with --url: the control token of that simulator'),
      wallet: {
        ...text(
          'the wallet to act as: the number of a dev wallet, or a secret key (base58, JSON array, or a file with one)',
        ),
        default: '0',
      },
      world: flag('also serve the tools that control the world'),
      'confirm-above': text('ask the user before a payment above this amount, such as 1USDC or 1USDC,0.1SOL'),
      'max-spend': text('maximum total spending, such as 20USDC'),
      'fetch-host': texts('additional host that fetch_paid can call; repeatable'),
      engine: { choices: EMBEDDED_ENGINES, describe: START.engine.describe },
      ...WORLD,
      state: text('resume from a state file'),
      paywall: START.paywall,
    })
    .example('$0 mcp --world --max-spend 20USDC', 'a new world, with the tools that control it')
    .example(
      '$0 mcp --url http://127.0.0.1:4020 --wallet 3',
      'act as the fourth dev wallet of a running simulator',
    );
}

export type McpArguments = ArgumentsOf<typeof mcpFlags>;
