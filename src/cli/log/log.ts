import { printable } from '../../core/printable.js';
import { Interrupts } from '../interrupts.js';
import { UsageError } from '../usage.js';
import type { LoggedEvent } from './event.js';
import { type LogFilter, filterOf } from './filter.js';
import { headRow, rowOf } from './row.js';
import { eventsOf } from './sources.js';

/** Arguments of `sim log`. */
export interface LogArguments extends LogFilter {
  readonly source: string;
  readonly follow: boolean;
  readonly json: boolean;
  readonly limit?: number | undefined;
  readonly controlToken?: string | undefined;
}

/** Prints an event, after the head of the table if it is the first. */
function printer(isJson: boolean): (event: LoggedEvent) => void {
  let isFirst = true;
  return (event) => {
    if (isFirst && !isJson) process.stdout.write(`${headRow()}\n`);
    isFirst = false;
    process.stdout.write(`${printable(isJson ? JSON.stringify(event) : rowOf(event))}\n`);
  };
}

async function print(args: LogArguments, following: AbortSignal | null): Promise<void> {
  const { source, json, limit = Number.POSITIVE_INFINITY, controlToken } = args;
  const isLimit = limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1);
  if (!isLimit) throw new UsageError('--limit must be a whole number of at least 1');
  const isWanted = filterOf(args);
  const show = printer(json);
  // With a limit, the newest events of the past are known only at its end.
  let past: LoggedEvent[] | null = limit === Number.POSITIVE_INFINITY ? null : [];
  const onPresent = () => {
    past?.slice(-limit).forEach(show);
    past = null;
  };
  for await (const event of eventsOf(source, { controlToken, following, onPresent })) {
    if (!isWanted(event)) continue;
    if (past === null) show(event);
    else if (past.push(event) >= 2 * limit) past.splice(0, past.length - limit);
  }
  onPresent();
}

/** Prints events of a file or a running simulator, the newest ones with `limit`; with `follow`, then new ones until it is interrupted. */
export async function showLog(args: LogArguments): Promise<void> {
  if (!args.follow) await print(args, null);
  else await Interrupts.during(({ signal }) => print(args, signal), { isQuiet: true });
}
