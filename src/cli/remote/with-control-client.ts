import { ControlClient } from '../../api/control/client.js';
import { printableLines } from '../../core/printable.js';
import { UsageError } from '../usage.js';
import { remoteFailure } from './failure.js';

/** Arguments of every command for a running simulator. */
export interface RemoteArguments {
  readonly url: string;
  readonly controlToken?: string | undefined;
  readonly json: boolean;
}

/** Sends a request to a running simulator and prints its result: for people, or as one line of JSON. */
export async function withControlClient<T>(
  args: RemoteArguments,
  work: (control: ControlClient) => Promise<T>,
  readable: (answer: T) => string,
): Promise<void> {
  let control: ControlClient;
  try {
    control = new ControlClient({ origin: args.url, token: args.controlToken });
  } catch {
    throw new UsageError(`--url ${args.url} is not a URL such as http://127.0.0.1:4020`);
  }
  try {
    const answer = await work(control);
    process.stdout.write(`${printableLines(args.json ? JSON.stringify(answer) : readable(answer))}\n`);
  } catch (error) {
    throw remoteFailure(args.url, error);
  }
}
