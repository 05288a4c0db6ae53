import { showState } from '../persistence/state.js';
import { StateError } from '../persistence/state-file/state-error.js';
import { InvalidOptions } from '../runtime/config.js';
import { printResult } from './print-result.js';
import { readable } from './remote/table.js';
import { UsageError, wholeNumber } from './usage.js';

/** Prints the contents of a state file as text or as one line of JSON. Throws UsageError. */
export function show(args: { file: string; entries: number; json: boolean }): void {
  const { file, entries } = args;
  wholeNumber('--entries', entries, 0);
  try {
    const summary = showState(file, { entries });
    const hasKeys = summary.hasKeys ? 'true: keep the file private' : undefined;
    printResult(args, summary, readable({ ...summary, hasKeys }));
  } catch (error) {
    const isUsage = error instanceof StateError || error instanceof InvalidOptions;
    throw isUsage ? new UsageError(`${file}: ${error.message}`) : error;
  }
}
