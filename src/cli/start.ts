import { isBuilt } from '../chain/engines/native.js';
import { BASE_PATH } from '../contract/endpoints.js';
import { type ListensOn, isLoopbackName } from '../api/origin-guard.js';
import type { AnsweredRequest } from '../api/pipeline/pending-request.js';
import type { RunningServer } from '../api/server.js';
import type { RunningRpc } from '../api/rpc/server.js';
import { InvalidOptions, type SimulatorOptions } from '../runtime/config.js';
import { DataError } from '../persistence/durable/data-error.js';
import { printable } from '../core/printable.js';
import { type Simulator, type SimulatorHooks, createSimulator } from '../simulator/simulator.js';
import type { AnsweredRpcCall } from '../simulator/hooks.js';
import { StateError } from '../persistence/state-file/state-error.js';
import { scenarioOf } from './recording/convert.js';
import { Interrupts, untilAborted } from './interrupts.js';
import type { RunningPaywall } from './paywall.js';
import type { StartArguments } from './flags.js';
import { startOptions } from './start-options.js';
import { jsonSummary, readableSummary } from './summary.js';
import { UsageError } from './usage.js';

/** Formats injected faults as the end of a line. */
function faultsText(faults: readonly { fault: string; effect: string }[]): string {
  return faults.map(({ fault, effect }) => ` ${fault}:${effect}`).join('');
}

/** Log line of a request: request id, method, path, wallet, status, code, milliseconds. */
function logLine(answered: AnsweredRequest): string {
  const { requestId, method, path, wallet, status, code, faults, ms } = answered;
  return `${requestId} ${method} ${path} ${wallet ?? '-'} ${status ?? 'lost'} ${code ?? '-'} ${ms.toFixed(1)}ms${faultsText(faults)}`;
}

/** The port where Solana's tools expect a local chain. */
const DEFAULT_RPC_PORT = 8_899;
const DEFAULT_PAYWALL_PORT = 4_021;

// Polled constantly by clients, so not logged.
const POLLED = /^(get|isBlockhashValid|simulate|ping|.*Subscribe$|.*Unsubscribe$)/;

/** Log line of an RPC call that changes the chain or is refused; null for any other. */
function rpcLogLine(answered: AnsweredRpcCall): string | null {
  const { requestId, method, detail, code, message, faults, isLost, ms } = answered;
  if (code === null && faults.length === 0 && POLLED.test(method)) return null;
  const outcome = isLost ? 'lost' : code === null ? 'ok' : `${code} ${message ?? ''}`;
  return `${requestId} RPC ${method} ${detail ?? '-'} ${outcome} ${ms.toFixed(1)}ms${faultsText(faults)}`;
}

/** Hooks that log requests to stderr, each with the world's time. */
function requestLog(now: () => Date): SimulatorHooks {
  const log = (line: string | null) => {
    if (line !== null) process.stderr.write(`${now().toISOString()} ${printable(line)}\n`);
  };
  return {
    onAnswer: (answered) => log(logLine(answered)),
    onRpcAnswer: (answered) => log(rpcLogLine(answered)),
  };
}

/** Converts Node's listen errors to errors with a remedy. */
export function listenError(error: unknown, at: { option: string; port: number; host: string }): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  const { option, host } = at;
  if (code === 'EADDRINUSE') {
    return new UsageError(
      `port ${port ?? at.port} on ${host} is in use; choose another with ${option} (0 picks a free one)`,
    );
  }
  if (code === 'EACCES')
    return new UsageError(`port ${at.port} requires more privileges; choose one above 1023 with ${option}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new UsageError(`--host ${host} is not an address of this machine`);
  }
  return error;
}

async function open(
  simulator: Simulator,
  args: StartArguments,
): Promise<{ api: RunningServer; rpc: RunningRpc | null; paywall: RunningPaywall | null }> {
  const { host, allowHost: allowHosts = [], cors = [] } = args;
  const listening = async <T>(
    option: string,
    port: number,
    listen: (port: number) => Promise<T>,
  ): Promise<T> => {
    try {
      return await listen(port);
    } catch (error) {
      await simulator.close();
      throw listenError(error, { option, port, host });
    }
  };
  const token = args.controlToken === undefined ? {} : { controlToken: args.controlToken };
  const api = await listening('--port', args.port, (port) =>
    simulator.listen({ host, port, allowHosts, cors, ...token }),
  );
  const rpcPort = args.rpcPort ?? (args.port === 0 ? 0 : DEFAULT_RPC_PORT);
  const isServed = args.rpc && simulator.config.cluster === null;
  const rpc = isServed
    ? await listening('--rpc-port', rpcPort, (port) => simulator.listenRpc({ host, port, allowHosts, cors }))
    : null;
  const paywallPort = args.paywallPort ?? (args.port === 0 ? 0 : DEFAULT_PAYWALL_PORT);
  // Must be last: a simulator that closes after a failure does not know about it.
  const paywall = args.paywall
    ? await listening('--paywall-port', paywallPort, (port) =>
        demoService(simulator, { host, port, allowHosts }),
      )
    : null;
  return { api, rpc, paywall };
}

/** Loaded on demand, to start quickly. */
async function demoService(
  simulator: Simulator,
  at: ListensOn & { readonly port: number },
): Promise<RunningPaywall> {
  const { openPaywall } = await import('./paywall.js');
  const onProblem = (problem: unknown) => process.stderr.write(`PAYWALL ${printable(String(problem))}\n`);
  return openPaywall(simulator, { ...at, onProblem });
}

/** Errors only detectable at start, such as an unreachable cluster, are usage errors too. */
async function begin(options: SimulatorOptions, hooks: SimulatorHooks): Promise<Simulator> {
  try {
    return await createSimulator(options, hooks);
  } catch (error) {
    if (error instanceof DataError) throw new UsageError(`--data-dir: ${error.message}`);
    if (error instanceof StateError) throw new UsageError(`--state: ${error.message}`);
    if (error instanceof InvalidOptions) throw new UsageError(error.message.replace(/^state:/, '--state:'));
    throw error;
  }
}

/** Writes events or a recording to the file of an option from the start; if that is impossible, that is a usage error. */
async function writeTo(
  simulator: Simulator,
  { option, path }: { readonly option: string; readonly path: string | undefined },
  write: (path: string) => void | Promise<void>,
): Promise<void> {
  if (path === undefined) return;
  try {
    await write(path);
  } catch (error) {
    await simulator.close();
    throw new UsageError(`${option} ${path}: ${(error as Error).message}`);
  }
}

/** Runs `sim start` until it is interrupted. Before it serves, a signal ends the process at once. */
export async function start(args: StartArguments): Promise<void> {
  const log = args.quiet ? {} : requestLog(() => simulator.now());
  const simulator = await begin(startOptions(args), { toScenario: scenarioOf, ...log });
  if (simulator.config.engine === 'litesvm' && !isBuilt('bankrun') && args.engine === undefined)
    process.stderr.write(
      `bankrun is not available for ${process.platform}-${process.arch}; using litesvm.\n`,
    );
  await writeTo(simulator, { option: '--log', path: args.log }, (path) => simulator.logTo(path));
  await writeTo(simulator, { option: '--record', path: args.record }, (path) =>
    simulator.recording.start({ path, isNew: true }),
  );
  const { api, rpc, paywall } = await open(simulator, args);
  // Beyond loopback, the inspector requires a token.
  const isInspected =
    simulator.config.inspector && (args.controlToken !== undefined || isLoopbackName(args.host));
  const inspectorUrl = isInspected ? `${api.origin}/` : null;
  const addresses = {
    baseUrl: api.origin + BASE_PATH,
    inspectorUrl,
    mcpUrl: `${api.origin}/mcp`,
    rpc,
    paywall,
  };
  const serve = async ({ signal }: Interrupts): Promise<void> => {
    if (args.json) process.stdout.write(jsonSummary(simulator, addresses));
    else if (!args.quiet)
      process.stdout.write(await readableSummary(simulator, addresses, { withKeys: args.keys }));
    await untilAborted(signal);
    await paywall?.close();
    await simulator.close();
  };
  await Interrupts.during(serve, { isQuiet: true });
}
