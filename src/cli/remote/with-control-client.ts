import { ControlClient, ControlError } from '../../api/control/client.js';
import { printResult } from '../print-result.js';
import { RemoteRefusal, UsageError } from '../usage.js';

/** The server at a URL is not a simulator. */
export function notASimulator(url: string): RemoteRefusal {
  return new RemoteRefusal(`the server at ${url} is not a simulator; use the URL that sim start printed`);
}

/** Describes a failed request in one sentence: refused, unreachable, or not a simulator. Returns other errors unchanged. */
export function remoteFailure(url: string, error: unknown): unknown {
  if (error instanceof ControlError && error.code !== 'unknown')
    return new RemoteRefusal(`${error.message} (${error.code})`);
  const cause = error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  // Node 24 sets no code for a response that is not HTTP.
  const isParsing = cause?.code?.startsWith('HPE_') === true || cause?.message.includes('HTTP') === true;
  if (cause !== undefined && !isParsing)
    return new RemoteRefusal(`cannot reach ${url}; start a simulator with sim start, or give the URL of one`);
  // Its responses are not HTTP, not JSON, or JSON of another form.
  const isStrange = [ControlError, SyntaxError, TypeError].some((kind) => error instanceof kind);
  return isStrange ? notASimulator(url) : error;
}

export interface RemoteArguments {
  readonly url: string;
  readonly controlToken?: string | undefined;
  readonly json: boolean;
}

/** Sends a request to a running simulator and prints its result as text or as one line of JSON. */
export async function withControlClient<T>(
  args: RemoteArguments,
  work: (control: ControlClient) => Promise<T>,
  readable: (answer: T) => string,
): Promise<void> {
  if (!URL.canParse(args.url))
    throw new UsageError(`--url ${args.url} is not a URL such as http://127.0.0.1:4020`);
  const control = new ControlClient({ origin: args.url, token: args.controlToken });
  try {
    const answer = await work(control);
    printResult(args, answer, args.json ? '' : readable(answer));
  } catch (error) {
    throw remoteFailure(args.url, error);
  }
}
