import { printable } from '../../core/printable.js';
import { UsageError } from '../usage.js';
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

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Prints events of a file or a running simulator; with `follow`, until SIGINT or SIGTERM. */
export async function showLog(args: LogArguments): Promise<void> {
  const { source, follow, json, limit = Number.POSITIVE_INFINITY, controlToken } = args;
  const isLimit = limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1);
  if (!isLimit) throw new UsageError('--limit must be a whole number of at least 1');
  const isWanted = filterOf(args);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (follow) for (const signal of STOP_SIGNALS) process.once(signal, stop);
  let shown = 0;
  try {
    const following = follow ? stopping.signal : null;
    for await (const event of eventsOf(source, { controlToken, following })) {
      if (!isWanted(event)) continue;
      if (shown === 0 && !json) process.stdout.write(`${headRow()}\n`);
      process.stdout.write(`${printable(json ? JSON.stringify(event) : rowOf(event))}\n`);
      shown += 1;
      if (shown >= limit) return;
    }
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  }
}
