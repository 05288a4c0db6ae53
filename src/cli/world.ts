import { DataError } from '../persistence/durable/data-error.js';
import { StateError } from '../persistence/state-file/state-error.js';
import { InvalidOptions, type SimulatorOptions } from '../runtime/config.js';
import { type Simulator, type SimulatorHooks, createSimulator } from '../simulator/simulator.js';
import { UsageError } from './usage.js';

/** Maximum number of requests that can be reverted to in a world that is kept for the inspector. */
export const HISTORY = 10_000;

/** Where a command listens, and the option of its port. */
interface ListeningPort {
  readonly option: string;
  readonly port: number;
  readonly host: string;
}

/** Converts Node's listen errors to errors with a remedy. */
function listenError(error: unknown, { option, port, host }: ListeningPort): unknown {
  const { code, port: used = port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return new UsageError(
      `port ${used} on ${host} is in use; choose another with ${option} (0 picks a free one)`,
    );
  if (code === 'EACCES')
    return new UsageError(`port ${port} requires more privileges; choose one above 1023 with ${option}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UsageError(`--host ${host} is not an address of this machine`);
  return error;
}

/** Listens on a port. Throws UsageError for a port or a host that cannot be used. */
export function listening<T>(at: ListeningPort, listen: (port: number) => Promise<T>): Promise<T> {
  return listen(at.port).catch((error: unknown) => {
    throw listenError(error, at);
  });
}

/** The world of a command. Errors only detectable at start, such as an unreachable cluster, are usage errors too. `state` names its state file in them. */
export async function worldOf(
  options: SimulatorOptions,
  hooks: SimulatorHooks = {},
  state = '--state',
): Promise<Simulator> {
  try {
    return await createSimulator(options, hooks);
  } catch (error) {
    if (error instanceof DataError) throw new UsageError(`--data-dir: ${error.message}`);
    if (error instanceof StateError) throw new UsageError(`${state}: ${error.message}`);
    if (error instanceof InvalidOptions)
      throw new UsageError(error.message.replace(/^state(?=:)/, () => state));
    throw error;
  }
}
