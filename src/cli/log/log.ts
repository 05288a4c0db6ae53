import { printable } from '../../core/printable.js';
import { interruptible } from '../interrupts.js';
import { wholeNumber } from '../usage.js';
import type { LoggedEvent } from './event.js';
import type { LogArguments } from '../remote/log.js';
import { checkNames, filterOf } from './filter.js';
import { HEAD_ROW, rowOf } from './row.js';
import { eventsOf } from './sources.js';

/** Prints an event, preceded by the table header for the first event. */
function printer(isJson: boolean): (event: LoggedEvent) => void {
  let isFirst = true;
  return (event) => {
    if (isFirst && !isJson) process.stdout.write(`${HEAD_ROW}\n`);
    isFirst = false;
    process.stdout.write(`${printable(isJson ? JSON.stringify(event) : rowOf(event))}\n`);
  };
}

async function print(args: LogArguments, following: AbortSignal | null): Promise<void> {
  const { source, json, limit = Infinity, controlToken } = args;
  if (limit !== Infinity) wholeNumber('--limit', limit, 1);
  const isWanted = filterOf(args);
  const show = printer(json);
  /** The codes and operations of all events. */
  const seen = new Set<unknown>();
  let hasMatched = false;
  // With a limit, the newest existing events are known only when all have been read.
  let past: LoggedEvent[] | null = limit === Infinity ? null : [];
  const onPresent = () => {
    past?.slice(-limit).forEach(show);
    past = null;
  };
  for await (const event of eventsOf(source, { controlToken, following, onPresent })) {
    seen.add(event['code']).add(event['operation']);
    if (!isWanted(event)) continue;
    hasMatched = true;
    if (past === null) show(event);
    else if (past.push(event) >= 2 * limit) past.splice(0, past.length - limit);
  }
  onPresent();
  if (hasMatched || following !== null) return;
  checkNames(args, seen);
  if (!json) process.stderr.write('sim: no events match\n');
}

/** Prints events from a file or a running simulator: with `limit`, only the newest; with `follow`, also new events until interrupted. */
export async function showLog(args: LogArguments): Promise<void> {
  if (!args.follow) await print(args, null);
  else await interruptible(({ signal }) => print(args, signal), { isQuiet: true });
}
