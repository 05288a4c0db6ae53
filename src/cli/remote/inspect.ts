import { extname } from 'node:path';
import type { AnswerOf } from '../../api/control/client.js';
import { readUserText } from '../../core/user-file.js';
import { JOURNAL_FORMATS, type JournalFormat } from '../../runtime/inspection/journal-export.js';
import { aligned } from '../../testing/scenario/reporters/text.js';
import { number, required, text } from '../arguments.js';
import { UsageError, writeWhole } from '../usage.js';
import { NO_DEFAULT, commandGroup, remoteCommand } from './remote-command.js';
import { nextLine, readable, short } from './table.js';

type Posting = AnswerOf<'journalEntries'>['entries'][number]['postings'][number];

const postingLine = ({ account, token, amount }: Posting) =>
  `    ${amount < 0 ? 'credit' : 'debit '} ${account.padEnd(16)} ${Math.abs(amount)} ${token}`;

const JOURNAL = commandGroup('journal', 'read the journal of a running simulator', [
  remoteCommand('journalEntries', {
    command: ['entries', '$0'],
    examples: [
      ['journal --wallet 9xQe… --account savings', 'entries that changed the savings of a wallet'],
      ['journal --status pending', 'transfers that have not settled'],
    ],
    print: ({ entries, next }) =>
      [
        ...entries.flatMap(({ entry, at, kind, wallet, status, postings }) => [
          `${entry} ${at} ${kind}${status === 'completed' ? '' : ` (${status})`} ${short(wallet)}`.trimEnd(),
          ...postings.map(postingLine),
        ]),
        ...nextLine(next, entries.length === 0 ? 'no entries' : null),
      ].join('\n'),
  }),
  remoteCommand('trialBalance', {
    command: 'balance',
    examples: [['journal balance --at 2026-01-31', 'balances of all accounts at an instant']],
    print: ({ accounts, ...rest }) =>
      readable({ ...rest, accounts: accounts.filter(({ debit, credit }) => debit !== 0 || credit !== 0) }),
  }),
]);

const CUSTOMERS = remoteCommand('customers', {
  command: 'customers',
  examples: [['customers --sort debt --limit 10', 'the ten agents that owe the most']],
  columns: { customers: ['wallet', 'checking', 'savings', 'debt', 'score'] },
});

const CUSTOMER = remoteCommand('customer', {
  command: 'customer <wallet>',
  examples: [['customer 9xQe… --json', 'all details as JSON']],
  columns: {
    loans: ['loanId', 'status', 'outstanding', 'dueDate'],
    history: ['created_at', 'type', 'amount', 'token', 'status'],
  },
});

const CHAIN = commandGroup('chain', 'read the chain of a running simulator', [
  remoteCommand('transactions', {
    command: ['transactions', '$0'],
    examples: [['chain --address 9xQe…', 'transactions of a wallet']],
    columns: { transactions: ['slot', 'at', 'signature', 'error'] },
  }),
  remoteCommand('transaction', {
    command: 'transaction <signature>',
    examples: [['chain transaction 5VERv8… --json', 'with all details']],
    print: ({ accounts: all, ...rest }) => {
      const accounts = all.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
      const holdings = ['before.SOL', 'before.tokens.amount', 'after.SOL', 'after.tokens.amount'];
      const instructions = ['programId', 'program', 'parsed.type'];
      return readable({ ...rest, accounts }, { instructions, accounts: ['address', ...holdings] });
    },
  }),
  remoteCommand('chainAccount', {
    command: 'account <address>',
    examples: [['chain account 9xQe…', 'lamports, owner, data']],
    print: ({ base64: _bytes, ...account }) => readable(account),
  }),
]);

export const EXPLAIN = remoteCommand('explain', {
  command: 'explain <id>',
  options: { id: text('X-Request-Id of a response, or requestId of an error') },
  examples: [['explain req_00000007', 'shows the rule, the figures, the entries and the transaction']],
  print: (explained) => explained.text,
});

const POINTS = { points: { ...number('number of evenly spaced instants, 2 to 1000'), default: 20 } };

interface Series {
  readonly at: readonly string[];
  readonly series: readonly { account?: string; token: string; kind?: string; values: readonly number[] }[];
}

/** A row for each instant, with a column for each of the figures. */
const seriesTable = ({ at, series }: Series): string =>
  aligned([
    ['at', ...series.map(({ account = '', token, kind = '' }) => `${account} ${token} ${kind}`.trim())],
    ...at.map((instant, row) => [instant, ...series.map(({ values }) => `${values[row] ?? ''}`)]),
  ]).join('\n');

const SERIES = commandGroup('series', 'show figures of a running simulator over time', [
  NO_DEFAULT,
  remoteCommand('balanceSeries', {
    command: 'balances',
    options: POINTS,
    examples: [['series balances --account checking --token USDC', 'the sum of all checking balances']],
    print: seriesTable,
  }),
  remoteCommand('rateSeries', {
    command: 'rates',
    options: POINTS,
    examples: [['series rates --points 12', 'twelve instants']],
    print: seriesTable,
  }),
  remoteCommand('requestSeries', {
    command: 'requests',
    options: POINTS,
    examples: [['series requests --from 2026-01-01', 'since that day']],
    print: ({ at, requests, refused }) =>
      seriesTable({
        at,
        series: [
          { token: 'requests', values: requests },
          { token: 'refused', values: refused },
        ],
      }),
  }),
]);

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

const EXPORT = remoteCommand('exportJournal', {
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

const VERIFY = remoteCommand('verifyPayment', {
  command: 'verify <header>',
  describe: 'verify an x402 receipt, request or payment field by field',
  options: {
    header: required(
      'value of X-Payment-Receipt, X-Payment-Request, PAYMENT-SIGNATURE or X-PAYMENT, or its JSON; - for stdin',
    ),
  },
  examples: [['verify - < receipt.json', 'shows each check with its expected value']],
  call: async (control, _ask, { header }) =>
    control.do('verifyPayment', { query: { header: header === '-' ? readUserText('-').trim() : header } }),
  isFailure: ({ valid }) => !valid,
  columns: { checks: ['verdict', 'name', 'expected', 'got'] },
});

/** Commands that read the books and the chain of a running simulator. */
export const INSPECT = [JOURNAL, CUSTOMERS, CUSTOMER, CHAIN, SERIES, EXPORT, VERIFY];
