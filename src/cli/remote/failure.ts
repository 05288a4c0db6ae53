import { ControlError } from '../../api/control/client.js';
import { RemoteRefusal } from '../usage.js';

/** The server at a URL is not a simulator. */
export function notASimulator(url: string): RemoteRefusal {
  return new RemoteRefusal(`the server at ${url} is not a simulator; use the URL that sim start printed`);
}

/** Describes a failed request in one sentence: refused, unreachable, or not a simulator. Returns other errors unchanged. */
export function remoteFailure(url: string, error: unknown): unknown {
  if (error instanceof ControlError && error.code !== 'unknown')
    return new RemoteRefusal(`${error.message} (${error.code})`);
  const cause = error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  if (cause !== undefined && cause.code?.startsWith('HPE_') !== true)
    return new RemoteRefusal(`cannot reach ${url}; start a simulator with sim start, or give the URL of one`);
  // Its answers are not HTTP, not JSON, or JSON of another form.
  const isStrange = [ControlError, SyntaxError, TypeError].some((kind) => error instanceof kind);
  return isStrange ? notASimulator(url) : error;
}
