import { ControlError } from '../../api/control/client.js';
import { RemoteRefusal } from '../usage.js';

/** Something answers at an address, but no simulator. */
export function notASimulator(url: string): RemoteRefusal {
  return new RemoteRefusal(
    `what answers at ${url} is no simulator; give the address that sim start has printed`,
  );
}

/** Why a request to a running simulator failed, in one sentence: it refused, nobody answers, or something else does. Other errors as they are. */
export function remoteFailure(url: string, error: unknown): unknown {
  if (error instanceof ControlError && error.code !== 'unknown')
    return new RemoteRefusal(`${error.message} (${error.code})`);
  const cause = error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (cause !== undefined && cause.code?.startsWith('HPE_') !== true)
    return new RemoteRefusal(
      `nobody answers at ${url}; start a simulator with sim start, or give the address of one`,
    );
  // Its answers are no HTTP, no JSON, or JSON of another kind.
  const isStrange = [ControlError, SyntaxError, TypeError].some((kind) => error instanceof kind);
  return isStrange ? notASimulator(url) : error;
}
