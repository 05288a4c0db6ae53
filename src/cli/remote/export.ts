import { JOURNAL_FORMATS } from '../../runtime/inspection/journal-export.js';
import { remoteCommand } from './remote-command.js';
import { required, text } from '../arguments.js';

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
  call: async (control, _ask, args) => (await import('../export.js')).exportJournalTo(control, args),
});
