import { ACCOUNT_NAMES } from '../../core/domain/entry.js';
import { CUSTOMER_SORTS } from '../../runtime/inspection/customer-list.js';
import { ENTRY_KINDS, ENTRY_STATUSES } from '../../runtime/inspection/journal-pages.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { nextLine, PAGING, short, table } from './table.js';

const TOKENS = ['USDC', 'SOL'] as const;

interface PostingView {
  readonly account: string;
  readonly token: string;
  readonly amount: number;
}

const postingLine = ({ account, token, amount }: PostingView) =>
  `    ${amount < 0 ? 'credit' : 'debit '} ${account.padEnd(16)} ${Math.abs(amount)} ${token}`;

const ENTRIES = remoteCommand({
  command: ['entries', '$0'],
  describe: 'show a page of journal entries with their postings, newest first',
  options: {
    wallet: { type: 'string', describe: 'its customer, or the owner of a posting' },
    kind: { choices: ENTRY_KINDS },
    account: { choices: ACCOUNT_NAMES, describe: 'entries with a posting to this account' },
    token: { choices: TOKENS },
    status: { choices: ENTRY_STATUSES, describe: 'of the outflow that an entry belongs to' },
    from: { type: 'string', describe: 'ISO 8601' },
    to: { type: 'string', describe: 'ISO 8601, inclusive' },
    order: { choices: ['newest', 'oldest'] },
    ...PAGING,
  },
  examples: [
    ['journal --wallet 9xQe… --account savings', 'what changed the savings of a wallet'],
    ['journal --status pending', 'transfers that are not settled'],
  ],
  call: (control, { wallet, kind, account, token, status, from, to, order, cursor, limit }) =>
    control.do('journalEntries', {
      query: { wallet, kind, account, token, status, from, to, order, cursor, limit },
    }),
  print: ({ entries, next }) =>
    [
      ...entries.flatMap(({ entry, at, kind, wallet, status, postings }) => [
        `${entry} ${at} ${kind}${status === 'completed' ? '' : ` (${status})`} ${short(wallet)}`.trimEnd(),
        ...postings.map(postingLine),
      ]),
      ...nextLine(next, entries.length === 0 ? 'no entries' : null),
    ].join('\n'),
});

const BALANCE = remoteCommand({
  command: 'balance',
  describe: 'show the trial balance now, at an instant, or after an entry',
  options: {
    at: { type: 'string', describe: 'ISO 8601' },
    entry: { type: 'number', describe: 'number of an entry, in place of --at' },
  },
  examples: [['journal balance --at 2026-01-31', 'balances of all accounts at that instant']],
  call: (control, { at, entry }) => control.do('trialBalance', { query: { at, entry } }),
  print: ({ entry, at, accounts, debits, credits }) =>
    [
      `after entry ${entry}, ${at}`,
      ...table([
        ['account', 'token', 'debit', 'credit'],
        ...accounts
          .filter(({ debit, credit }) => debit !== 0 || credit !== 0)
          .map(({ account, token, debit, credit }) => [account, token, `${debit || ''}`, `${credit || ''}`]),
        ...TOKENS.map((token) => ['sum', token, `${debits[token]}`, `${credits[token]}`]),
      ]),
    ].join('\n'),
});

const JOURNAL = commandGroup('journal', 'read the journal of a running simulator', [ENTRIES, BALANCE]);

const CUSTOMERS = remoteCommand({
  command: 'customers',
  describe: 'list customers with balances, debt, score and last call',
  options: {
    search: { type: 'string', describe: 'a part of the wallet or of the collection address' },
    sort: { choices: CUSTOMER_SORTS, describe: 'default opened' },
    order: { choices: ['desc', 'asc'], describe: 'default desc' },
    ...PAGING,
  },
  examples: [['customers --sort debt --limit 10', 'the ten that owe most']],
  call: (control, { search, sort, order, cursor, limit }) =>
    control.do('customers', { query: { search, sort, order, cursor, limit } }),
  print: ({ customers, next, size }) =>
    [
      ...table([
        ['wallet', 'USDC', 'SOL', 'saved', 'debt', 'score'],
        ...customers.map(({ wallet, checking, savings, debt, score }) => [
          wallet,
          `${checking.USDC}`,
          `${checking.SOL}`,
          `${savings.USDC}`,
          `${debt}`,
          `${score ?? '-'}`,
        ]),
      ]),
      ...nextLine(next, `${customers.length} of ${size}`),
    ].join('\n'),
});

interface LimitLine {
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  readonly frees: readonly { readonly at: string; readonly usd: number }[];
}

const limitLine = (name: string, { limit, used, left, frees }: LimitLine) =>
  `${name.padEnd(10)} ${used} of ${limit} USD used today, ${left} left${frees[0] === undefined ? '' : `; ${frees[0].usd} free at ${frees[0].at}`}`;

const CUSTOMER = remoteCommand({
  command: 'customer <wallet>',
  describe: 'show one customer: balances, limits, collateral, score, loans, history',
  positionals: { wallet: { type: 'string', demandOption: true } },
  examples: [['customer 9xQe… --json', 'everything about it, for programs']],
  call: (control, { wallet }) => control.do('customer', { id: wallet }),
  print: (one) =>
    [
      `${one.wallet}, customer since ${one.openedAt}`,
      `collection ${one.collectionAddress}`,
      `checking   ${one.accounts.checking.USDC} USDC, ${one.accounts.checking.SOL} SOL`,
      ...TOKENS.map(
        (token) =>
          `savings    ${one.savings[token].principal} ${token} and ${one.savings[token].earned} earned, at ${one.savings[token].apy} a year`,
      ),
      limitLine('withdraw', one.limits.withdraw),
      limitLine('x402', one.limits.x402),
      `collateral ${one.collateral.borrowed} of ${one.collateral.limit} USDC borrowed, ${one.collateral.available} available`,
      `score      ${one.score.score} ${one.score.decision}, credit limit ${one.score.creditLimit} USD at ${one.score.apr}`,
      `on chain   ${one.onChain.wallet.USDC} USDC, ${one.onChain.wallet.SOL} SOL`,
      ...one.loans.map(
        ({ loanId, status, outstanding, dueDate }) =>
          `loan       ${loanId} ${status}, ${outstanding} USDC owed${dueDate === null ? '' : `, due ${dueDate}`}`,
      ),
      ...one.history.map(
        ({ created_at: at, type, amount, token, status }) =>
          `${at} ${type} ${amount} ${token}${status === 'completed' ? '' : ` ${status}`}`,
      ),
    ].join('\n'),
});

const TRANSACTIONS = remoteCommand({
  command: ['transactions', '$0'],
  describe: 'list transactions, newest first',
  options: {
    address: { type: 'string', describe: 'only those that mention this account' },
    status: { choices: ['succeeded', 'failed'] },
    ...PAGING,
  },
  examples: [['chain --address 9xQe…', 'transactions of a wallet']],
  call: (control, { address, status, cursor, limit }) =>
    control.do('transactions', { query: { address, status, cursor, limit } }),
  print: ({ transactions, next }) =>
    [
      ...transactions.map(
        ({ signature, slot, at, error }) =>
          `${slot} ${at} ${signature}${error === null ? '' : ` failed: ${JSON.stringify(error)}`}`,
      ),
      ...nextLine(next, transactions.length === 0 ? 'no transactions' : null),
    ].join('\n'),
});

interface ParsedInstruction {
  readonly program?: string;
  readonly programId?: string;
  readonly parsed?: { readonly type?: string } | string | null;
}

function instructionLine(instruction: unknown): string {
  const { program, programId = '-', parsed } = instruction as ParsedInstruction;
  if (program === undefined) return `  ${programId}`;
  return `  ${program} ${typeof parsed === 'string' ? JSON.stringify(parsed) : (parsed?.type ?? '')}`.trimEnd();
}

interface Holding {
  readonly SOL: number;
  readonly tokens: { readonly amount: number } | null;
}

const holdingText = (holding: Holding | null) =>
  holding === null
    ? 'none'
    : holding.tokens === null
      ? `${holding.SOL} SOL`
      : `${holding.tokens.amount} tokens`;

const TRANSACTION = remoteCommand({
  command: 'transaction <signature>',
  describe: 'decode a transaction: instructions, logs, balances before and after',
  positionals: { signature: { type: 'string', demandOption: true } },
  examples: [['chain transaction 5VERv8… --json', 'with all that is known of it']],
  call: (control, { signature }) => control.do('transaction', { id: signature }),
  print: ({ signature, slot, at, error, fee, instructions, accounts, logs }) =>
    [
      signature,
      `slot ${slot}, ${at}, ${error === null ? 'succeeded' : `failed: ${JSON.stringify(error)}`}, fee ${fee} SOL`,
      'instructions',
      ...instructions.map(instructionLine),
      'balances',
      ...accounts
        .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
        .map(({ address, before, after }) => `  ${address} ${holdingText(before)} -> ${holdingText(after)}`),
      'logs',
      ...logs.map((line) => `  ${line}`),
    ].join('\n'),
});

const ACCOUNT = remoteCommand({
  command: 'account <address>',
  describe: 'show an account of the chain with its parsed data',
  positionals: { address: { type: 'string', demandOption: true } },
  examples: [['chain account 9xQe…', 'lamports, owner, data']],
  call: (control, { address }) => control.do('chainAccount', { id: address }),
  print: ({ address, SOL, owner, executable, bytes, data }) =>
    [
      address,
      `${SOL} SOL, owned by ${owner}${executable ? ', executable' : ''}, ${bytes} bytes`,
      ...(data === null ? [] : [JSON.stringify(data, null, 2)]),
    ].join('\n'),
});

const CHAIN = commandGroup('chain', 'read the chain of a running simulator', [
  TRANSACTIONS,
  TRANSACTION,
  ACCOUNT,
]);

/** Commands that read books and chain of a running simulator. */
export const INSPECT = [JOURNAL, CUSTOMERS, CUSTOMER, CHAIN];
