import { extname } from 'node:path';
import type { ControlClient } from '../api/control/client.js';
import type { JournalFormat } from '../runtime/inspection/journal-export.js';
import { writeWhole } from './state.js';
import { UsageError } from './usage.js';
import { worldOf } from './world.js';

const BY_EXTENSION: Readonly<Record<string, JournalFormat>> = {
  '.csv': 'csv',
  '.parquet': 'parquet',
  '.journal': 'hledger',
  '.hledger': 'hledger',
};

interface ExportArguments {
  readonly file: string;
  readonly format?: JournalFormat | undefined;
  readonly state?: string | undefined;
}

async function exportOf(state: string, format: JournalFormat): Promise<Uint8Array> {
  const sim = await worldOf({ state, time: 'frozen' });
  try {
    return await sim.books.export(format);
  } finally {
    await sim.close();
  }
}

/** Writes the journal of a running world, or of a state file, to a file. Throws UsageError when it cannot be written. */
export async function exportJournalTo(control: ControlClient, { file, format, state }: ExportArguments) {
  const chosen = format ?? BY_EXTENSION[extname(file).toLowerCase()];
  if (chosen === undefined)
    throw new UsageError(`${file}: unknown extension; use .csv, .parquet or .journal, or give --format`);
  const bytes =
    state === undefined
      ? await control.do('exportJournal', { query: { format: chosen } })
      : await exportOf(state, chosen);
  writeWhole(file, bytes);
  return { file, format: chosen, bytes: bytes.length };
}
