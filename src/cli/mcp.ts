import type { Backend } from '../mcp/backend.js';
import { connectionOptions } from '../mcp/connection-options.js';
import { backendHere } from '../mcp/in-process.js';
import { McpService } from '../mcp/mcp-service.js';
import { backendAt } from '../mcp/remote.js';
import { serveOverStdio } from '../mcp/stdio.js';
import type { WalletSession } from '../mcp/wallet-session.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import type { Simulator } from '../simulator/simulator.js';
import { interruptible } from './interrupts.js';
import { keyOption } from './key-option.js';
import { remoteFailure } from './remote/with-control-client.js';
import type { McpArguments } from './flags.js';
import type { RunningPaywall } from './paywall.js';
import { worldOf } from './world.js';
import { UsageError, reading } from './usage.js';

const OWN_WORLD = ['engine', 'seed', 'time', 'state'] as const;

function checkOptions(args: McpArguments): void {
  const { url } = args;
  if (url === undefined) {
    if (args.controlToken !== undefined) throw new UsageError('--control-token: requires --url');
    return;
  }
  if (!URL.canParse(url)) throw new UsageError(`--url ${url} is not a URL such as http://127.0.0.1:4020`);
  const own = OWN_WORLD.find((name) => args[name] !== undefined) ?? (args.paywall ? 'paywall' : undefined);
  if (own !== undefined)
    throw new UsageError(`--${own}: applies to a new world; it cannot be combined with --url`);
}

async function backendOf(args: McpArguments, world: Simulator | null): Promise<Backend> {
  if (world !== null) return backendHere(world, (request) => world.fetch(request));
  const { url = '' } = args;
  try {
    return await backendAt(url, args.controlToken);
  } catch (error) {
    throw remoteFailure(url, error);
  }
}

/** Runs `sim mcp`: an MCP server on stdin and stdout, until stdin ends or a signal arrives. */
export async function mcp(args: McpArguments): Promise<void> {
  checkOptions(args);
  const options = reading('', () => connectionOptions({ ...args, fetchHosts: args.fetchHost }));
  const own = Object.fromEntries(OWN_WORLD.map((name) => [name, args[name]]));
  const world = args.url === undefined ? await worldOf(own) : null;
  let paywall: RunningPaywall | null = null;
  try {
    const backend = await backendOf(args, world);
    const service = new McpService(backend);
    const session = await sessionOf(service, args);
    if (world !== null && args.paywall) {
      const { openPaywall } = await import('./paywall.js');
      paywall = await openPaywall(world, { host: '127.0.0.1', port: 0, allowHosts: [] });
      // Not on stdout, which carries the protocol.
      process.stderr.write(`sim: demo service at ${paywall.url}\n`);
    }
    const { stdin: input, stdout: output } = process;
    await interruptible(
      ({ signal }) => serveOverStdio(service, { session, options }, { input, output, signal }),
      { isQuiet: true },
    );
  } finally {
    await paywall?.close();
    await world?.close();
  }
}

async function sessionOf(service: McpService, { wallet, url = '' }: McpArguments): Promise<WalletSession> {
  if (!/^\d{1,2}$/.test(wallet))
    return service.sessionOf(AgentWallet.fromSecretKey(keyOption('--wallet', wallet)));
  try {
    return await service.sessionAt(wallet);
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`--wallet: ${error.message.replace(/^wallet /, '')}`);
    throw url === '' ? error : remoteFailure(url, error);
  }
}
