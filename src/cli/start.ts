import { isBuilt } from '../chain/engines/native.js';
import { BASE_PATH } from '../contract/endpoints.js';
import { isLoopbackName } from '../api/origin-guard.js';
import type { AnsweredRequest } from '../api/pipeline/pending-request.js';
import { printable } from '../core/printable.js';
import type { Simulator, SimulatorHooks } from '../simulator/simulator.js';
import type { AnsweredRpcCall } from '../simulator/hooks.js';
import { interruptible, untilAborted } from './interrupts.js';
import type { StartArguments } from './flags.js';
import { startOptions } from './start-options.js';
import { jsonSummary, readableSummary } from './summary.js';
import { UsageError, reading } from './usage.js';
import { listening, worldOf } from './world.js';

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

/** Serves a world until it is interrupted. */
async function serve(simulator: Simulator, args: StartArguments): Promise<void> {
  const { log, record: path } = args;
  if (log !== undefined) reading(`--log ${log}: `, () => simulator.logTo(log));
  if (path !== undefined)
    await simulator.recording.start({ path, isNew: true }).catch((error: unknown) => {
      throw new UsageError(`--record ${path}: ${(error as Error).message}`);
    });
  const { host, allowHost: allowHosts = [], cors = [] } = args;
  const token = args.controlToken === undefined ? {} : { controlToken: args.controlToken };
  const api = await listening({ option: '--port', port: args.port, host }, (port) =>
    simulator.listen({ host, port, allowHosts, cors, ...token }),
  );
  const free = args.port === 0 ? 0 : null;
  const rpcPort = args.rpcPort ?? free ?? DEFAULT_RPC_PORT;
  const isServed = args.rpc && simulator.config.cluster === null;
  const rpc = isServed
    ? await listening({ option: '--rpc-port', port: rpcPort, host }, (port) =>
        simulator.listenRpc({ host, port, allowHosts, cors }),
      )
    : null;
  const paywallPort = args.paywallPort ?? free ?? DEFAULT_PAYWALL_PORT;
  // Loaded on demand, to start quickly.
  const paywall = args.paywall
    ? await listening({ option: '--paywall-port', port: paywallPort, host }, async (port) =>
        (await import('./paywall.js')).openPaywall(simulator, { host, port, allowHosts }),
      )
    : null;
  // Beyond loopback, the inspector requires a token.
  const isInspected = simulator.config.inspector && (args.controlToken !== undefined || isLoopbackName(host));
  const addresses = {
    baseUrl: api.origin + BASE_PATH,
    inspectorUrl: isInspected ? `${api.origin}/` : null,
    mcpUrl: `${api.origin}/mcp`,
    rpc,
    paywall,
  };
  await interruptible(
    async ({ signal }) => {
      try {
        if (args.json) process.stdout.write(jsonSummary(simulator, addresses));
        else if (!args.quiet)
          process.stdout.write(await readableSummary(simulator, addresses, { withKeys: args.keys }));
        await untilAborted(signal);
      } finally {
        await paywall?.close();
        // Signals and a closed output may not end the process while the world writes what it has left.
        await simulator.close();
      }
    },
    { isQuiet: true },
  );
}

/** Runs `sim start` until it is interrupted. Before it serves, a signal ends the process at once. */
export async function start(args: StartArguments): Promise<void> {
  const log = args.quiet ? {} : requestLog(() => simulator.now());
  const simulator = await worldOf(startOptions(args), {
    toScenario: async (text, name) => (await import('./recording/to-scenario.js')).scenarioOf(text, name),
    ...log,
  });
  if (simulator.config.engine === 'litesvm' && !isBuilt('bankrun') && args.engine === undefined)
    process.stderr.write(
      `bankrun is not available for ${process.platform}-${process.arch}; using litesvm.\n`,
    );
  try {
    await serve(simulator, args);
  } finally {
    await simulator.close();
  }
}
