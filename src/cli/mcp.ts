import type { Backend } from '../mcp/backend.js';
import type { McpService } from '../mcp/mcp-service.js';
import type { WalletSession } from '../mcp/wallet-session.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import type { Simulator } from '../simulator/simulator.js';
import { Interrupts } from './interrupts.js';
import { keyOption } from './key-option.js';
import { remoteFailure } from './remote/with-control-client.js';
import type { McpArguments } from './flags.js';
import { worldOf } from './world.js';
import { UsageError } from './usage.js';

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
  if (world !== null) {
    const { backendHere } = await import('../mcp/in-process.js');
    return backendHere(world, (request) => world.fetch(request));
  }
  const { backendAt } = await import('../mcp/remote.js');
  const url = args.url ?? '';
  try {
    return await backendAt(url, args.controlToken);
  } catch (error) {
    throw remoteFailure(url, error);
  }
}

/** Serves the demo service and prints its URL on stderr, because stdout carries the protocol. */
async function demoService(world: Simulator): Promise<void> {
  const { openPaywall } = await import('./paywall.js');
  const { url } = await openPaywall(world, { host: '127.0.0.1', port: 0, allowHosts: [] });
  process.stderr.write(`sim: demo service at ${url}\n`);
}

/** Runs `sim mcp`: an MCP server on stdin and stdout, until stdin ends or a signal arrives. */
export async function mcp(args: McpArguments): Promise<void> {
  checkOptions(args);
  const { connectionOptions } = await import('../mcp/connection-options.js');
  let options;
  try {
    options = connectionOptions({ ...args, fetchHosts: args.fetchHost });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const own = Object.fromEntries(OWN_WORLD.map((name) => [name, args[name]]));
  const world = args.url === undefined ? await worldOf(own) : null;
  try {
    const backend = await backendOf(args, world);
    const service = await serviceOf(backend, options.hasWorld);
    const { serveOverStdio } = await import('../mcp/stdio.js');
    const session = await sessionOf(service, args);
    if (world !== null && args.paywall) await demoService(world);
    const { stdin: input, stdout: output } = process;
    await Interrupts.during(
      ({ signal }) => serveOverStdio(service, { session, options }, { input, output, signal }),
      { isQuiet: true },
    );
  } finally {
    await world?.close();
  }
}

/** Loaded on demand, to start quickly. */
async function serviceOf(backend: Backend, isWorld: boolean): Promise<McpService> {
  const { McpService: Service } = await import('../mcp/mcp-service.js');
  const worldTools = isWorld ? [(await import('./mcp-campaign.js')).campaignTool] : [];
  return new Service(backend, { worldTools });
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
