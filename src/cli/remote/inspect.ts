import type { AnswerOf } from '../../api/control/client.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { nextLine, readable, short } from './table.js';
import { text } from '../arguments.js';

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

/** Commands that read the books and the chain of a running simulator. */
export const INSPECT = [JOURNAL, CUSTOMERS, CUSTOMER, CHAIN];
