import { BASE_PATH } from '../contract/endpoints.js';
import type { AnsweredRequest } from '../http/app.js';
import type { RunningServer } from '../http/server.js';
import { type Simulator, createSimulator } from '../simulator.js';
import { type StartArguments, startOptions } from './start-options.js';
import { jsonSummary, readableSummary } from './summary.js';
import { UsageError } from './usage.js';

/** One line a request: method, path, wallet, status, code, milliseconds. */
function logLine(answered: AnsweredRequest): string {
  const { method, path, wallet, status, code, ms } = answered;
  return `${method} ${path} ${wallet ?? '-'} ${status} ${code ?? '-'} ${ms.toFixed(1)}ms\n`;
}

async function open(simulator: Simulator, args: StartArguments): Promise<RunningServer> {
  try {
    return await simulator.listen({ host: args.host, port: args.port });
  } catch (error) {
    await simulator.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new UsageError(
        `port ${args.port} on ${args.host} is in use; choose another with --port (0 takes a free one)`,
      );
    }
    if (code === 'EACCES')
      throw new UsageError(`port ${args.port} may not be used by this user; choose one above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new UsageError(`--host ${args.host} is not an address of this machine`);
    }
    throw error;
  }
}

/** Resolves at the first SIGINT or SIGTERM. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/** Runs `sim start` until it is told to stop. */
export async function start(args: StartArguments): Promise<void> {
  const stopped = stopSignal();
  const hooks = args.quiet
    ? {}
    : { onAnswer: (answered: AnsweredRequest) => process.stderr.write(logLine(answered)) };
  const simulator = await createSimulator(startOptions(args), hooks);
  const server = await open(simulator, args);
  const baseUrl = server.origin + BASE_PATH;
  if (args.json) process.stdout.write(jsonSummary(simulator, baseUrl));
  else if (!args.quiet) process.stdout.write(await readableSummary(simulator, baseUrl));
  await stopped;
  await simulator.close();
}
