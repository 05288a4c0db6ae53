import { InvalidOptions } from '../runtime/config.js';
import type { ControlClient } from '../api/control/client.js';
import { showState } from '../persistence/state.js';
import { StateError } from '../persistence/state-file/state-error.js';
import { checksumOf } from '../persistence/state-file/file.js';
import { LIMITS } from '../core/limits.js';
import { readUserFile } from '../core/user-file.js';
import { writeAtomically } from '../core/atomic-file.js';
import { printableLines } from '../core/printable.js';
import { readable } from './remote/table.js';
import { UsageError, writing } from './usage.js';

// State files with keys are readable by their owner only.
const SECRET_MODE = 0o600;

/** Writes a file atomically. Throws UsageError. */
export function writeWhole(file: string, content: string | Uint8Array, mode?: number): void {
  writing(file, () => writeAtomically(file, content, mode));
}

/** Exports a running world to a file. Throws UsageError when it cannot be written. */
export async function exportTo(
  control: ControlClient,
  { file, withKeys }: { file: string; withKeys: boolean },
) {
  const state = await control.do('exportState', { query: { withKeys: withKeys ? 'true' : 'false' } });
  writeWhole(file, state, withKeys ? SECRET_MODE : undefined);
  return { file, bytes: state.length, checksum: checksumOf(state) };
}

/** Imports a file into a running world. Throws UnreadableFile. */
export async function importFrom(control: ControlClient, file: string) {
  return control.do('importState', { bytes: readUserFile(file, LIMITS.stateBytes.most) });
}

/** Prints the contents of a state file as text or as one line of JSON. Throws UsageError. */
export function show({ file, entries, json }: { file: string; entries: number; json: boolean }): void {
  if (!Number.isInteger(entries) || entries < 0)
    throw new UsageError(`--entries ${entries}: must be a whole number of at least 0`);
  try {
    const summary = showState(file, { entries });
    const hasKeys = summary.hasKeys ? 'true: keep the file private' : undefined;
    const text = json ? JSON.stringify(summary) : readable({ ...summary, hasKeys });
    process.stdout.write(`${printableLines(text)}\n`);
  } catch (error) {
    const isUsage = error instanceof StateError || error instanceof InvalidOptions;
    throw isUsage ? new UsageError(`${file}: ${error.message}`) : error;
  }
}
