import { extname } from 'node:path';
import { JOURNAL_FORMATS, type JournalFormat } from '../../runtime/inspection/journal-export.js';
import { required, text } from '../arguments.js';
import { UsageError, writeWhole } from '../usage.js';
import { remoteCommand } from './remote-command.js';

const BY_EXTENSION: Readonly<Record<string, JournalFormat>> = {
  '.csv': 'csv',
  '.parquet': 'parquet',
  '.journal': 'hledger',
  '.hledger': 'hledger',
};

async function exportOf(state: string, format: JournalFormat): Promise<Uint8Array> {
  const sim = await (await import('../world.js')).worldOf({ state, time: 'frozen' });
  try {
    return await sim.books.export(format);
  } finally {
    await sim.close();
  }
}

export const EXPORT = remoteCommand('exportJournal', {
  command: 'export <file>',
  describe: 'write the journal to a file, for spreadsheets, data frames or hledger',
  options: {
    file: required('output file; its extension sets the format: .csv, .parquet, .journal'),
    format: { choices: JOURNAL_FORMATS, describe: 'format, whatever the extension' },
    state: text('state file to read instead of a running simulator'),
  },
  examples: [
    ['export books.csv', 'one row per posting'],
    ['export books.journal --state world.sim', 'then: hledger -f books.journal balance'],
  ],
  call: async (control, _ask, { file, state, format = BY_EXTENSION[extname(file).toLowerCase()] }) => {
    if (format === undefined)
      throw new UsageError(`${file}: unknown extension; use .csv, .parquet or .journal, or give --format`);
    const bytes =
      state === undefined
        ? await control.do('exportJournal', { query: { format } })
        : await exportOf(state, format);
    writeWhole(file, bytes);
    return { file, format, bytes: bytes.length };
  },
});
