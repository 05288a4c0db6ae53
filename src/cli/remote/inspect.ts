import type { AnswerOf } from '../../api/control/client.js';
import type { OutflowKind } from '../../core/domain/entry.js';
import { commandGroup, remoteCommand } from './remote-command.js';
import { loanLine } from './review.js';
import { nextLine, short } from './table.js';
import { aligned } from '../../testing/scenario/reporters/text.js';

const TOKENS = ['USDC', 'SOL'] as const;

type Posting = AnswerOf<'journalEntries'>['entries'][number]['postings'][number];

const postingLine = ({ account, token, amount }: Posting) =>
  `    ${amount < 0 ? 'credit' : 'debit '} ${account.padEnd(16)} ${Math.abs(amount)} ${token}`;

const ENTRIES = remoteCommand('journalEntries', {
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
});

const BALANCE = remoteCommand('trialBalance', {
  command: 'balance',
  examples: [['journal balance --at 2026-01-31', 'balances of all accounts at an instant']],
  print: ({ entry, at, accounts, debits, credits }) =>
    [
      `after entry ${entry}, ${at}`,
      ...aligned([
        ['account', 'token', 'debit', 'credit'],
        ...accounts
          .filter(({ debit, credit }) => debit !== 0 || credit !== 0)
          .map(({ account, token, debit, credit }) => [account, token, `${debit || ''}`, `${credit || ''}`]),
        ...TOKENS.map((token) => ['sum', token, `${debits[token]}`, `${credits[token]}`]),
      ]),
    ].join('\n'),
});

const JOURNAL = commandGroup('journal', 'read the journal of a running simulator', [ENTRIES, BALANCE]);

const CUSTOMERS = remoteCommand('customers', {
  command: 'customers',
  examples: [['customers --sort debt --limit 10', 'the ten agents that owe the most']],
  print: ({ customers, next, size }) =>
    [
      ...aligned([
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

const limitLine = (name: string, { limit, used, left, frees }: AnswerOf<'customer'>['limits'][OutflowKind]) =>
  `${name.padEnd(10)} ${used} of ${limit} USD used today, ${left} left${frees[0] === undefined ? '' : `; ${frees[0].usd} free at ${frees[0].at}`}`;

const CUSTOMER = remoteCommand('customer', {
  command: 'customer <wallet>',
  examples: [['customer 9xQe… --json', 'all details as JSON']],
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
      ...one.loans.map((loan) => `loan       ${loanLine(loan)}`),
      ...one.history.map(
        ({ created_at: at, type, amount, token, status }) =>
          `${at} ${type} ${amount} ${token}${status === 'completed' ? '' : ` ${status}`}`,
      ),
    ].join('\n'),
});

const TRANSACTIONS = remoteCommand('transactions', {
  command: ['transactions', '$0'],
  examples: [['chain --address 9xQe…', 'transactions of a wallet']],
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

const holdingText = (holding: AnswerOf<'transaction'>['accounts'][number]['before']) =>
  holding === null
    ? 'none'
    : holding.tokens === null
      ? `${holding.SOL} SOL`
      : `${holding.tokens.amount} tokens`;

const TRANSACTION = remoteCommand('transaction', {
  command: 'transaction <signature>',
  examples: [['chain transaction 5VERv8… --json', 'with all details']],
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

const ACCOUNT = remoteCommand('chainAccount', {
  command: 'account <address>',
  examples: [['chain account 9xQe…', 'lamports, owner, data']],
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

export const EXPLAIN = remoteCommand('explain', {
  command: 'explain <id>',
  options: { id: { type: 'string', describe: 'X-Request-Id of a response, or requestId of an error' } },
  examples: [['explain req_00000007', 'shows the rule, the figures, the entries and the transaction']],
  print: ({ text }) => text,
});

/** Commands that read the books and the chain of a running simulator. */
export const INSPECT = [JOURNAL, CUSTOMERS, CUSTOMER, CHAIN];
