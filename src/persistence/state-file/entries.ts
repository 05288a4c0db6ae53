import { List } from 'immutable';
import {
  ACCOUNT_NAMES,
  type Entry,
  type Facts,
  type LoanTerms,
  type OutflowTerms,
  type Posting,
} from '../../core/domain/entry.js';
import { TOKENS } from '../../core/domain/money.js';
import type { JournalSnapshot } from '../../core/journal/memory.js';
import * as c from './codec.js';

const token = c.oneOf(...TOKENS);
const note = c.nullable(c.text);

export const outflowTerms = c.struct<OutflowTerms>({
  type: c.oneOf('withdraw', 'x402'),
  token,
  amountBase: c.big,
  recipient: c.text,
  payTo: c.text,
  usdMicro: c.big,
  executeAtMs: c.nullable(c.number),
  serviceUrl: note,
  memo: note,
  requestId: note,
});

/** What an application and its loan have in common, without their status and id. */
export const LOAN_TERMS = {
  amountBase: c.big,
  aprPpm: c.big,
  purpose: c.text,
  durationDays: c.number,
  collateral: c.nullable(c.struct({ type: note, amount: c.nullable(c.number) })),
  scoreApproves: c.flag,
  decideAtMs: c.nullable(c.number),
} as const;

const { amountBase, aprPpm, purpose, durationDays, collateral, ...judged } = LOAN_TERMS;

const facts = c.union<Facts>({
  'bank.opened': {},
  'customer.opened': { collectionAddress: c.text },
  'identity.linked': { x: c.flag, github: c.flag },
  'chain.arrived': { signature: c.text },
  'collection.opened': {},
  deposit: { token, amountBase: c.big, signature: c.text, sender: c.text },
  'savings.deposit': { token, amountBase: c.big, indexRay: c.big },
  'savings.withdraw': { token, amountBase: c.big, yieldBase: c.big, indexRay: c.big },
  'savings.settled': { signature: note },
  'collection.swept': { signature: c.text },
  'collateral.borrow': { amountBase: c.big, aprPpm: c.big },
  'collateral.repay': { principalBase: c.big, interestBase: c.big },
  'collateral.liquidated': {
    amountBase: c.big,
    yieldBase: c.big,
    indexRay: c.big,
    principalBase: c.big,
    interestBase: c.big,
    penaltyBase: c.big,
    owedBase: c.big,
    valueBase: c.big,
    liquidationPpm: c.big,
  },
  'outflow.pending': { terms: outflowTerms },
  'outflow.posted': { outflow: c.number, signature: c.text, recipient: note },
  'outflow.voided': { outflow: c.number, reason: c.text },
  'fees.paid': { signature: c.text },
  'x402.received': { token, amountBase: c.big, signature: c.text, sender: c.text },
  'loan.applied': {
    loanId: c.text,
    amountBase,
    aprPpm,
    purpose,
    durationDays,
    collateral,
    status: c.oneOf<LoanTerms['status']>('pending_review', 'denied'),
    ...judged,
  },
  'loan.approved': { loanId: c.text, dueAtMs: c.number, reason: note },
  'loan.denied': { loanId: c.text, reason: note },
  'loan.called': { loanId: c.text, dueAtMs: c.number, reason: note },
  'loan.overdue': { loanId: c.text },
  'loan.charged': { loanId: c.text, amountBase: c.big, owedBase: c.big },
  'loan.defaulted': { loanId: c.text },
  'loan.set_off': {
    loanId: c.text,
    amountBase: c.big,
    principalBase: c.big,
    interestBase: c.big,
    owedBase: c.big,
    checkingBase: c.big,
  },
  'loan.cured': { loanId: c.text, dueAtMs: c.number, forgiven: c.flag, reason: note },
  'loan.repaid': {
    loanId: c.text,
    amountBase: c.big,
    principalBase: c.big,
    interestBase: c.big,
    signature: note,
  },
});

const postings = c.array(
  c.struct<Posting>({ account: c.oneOf(...ACCOUNT_NAMES), owner: note, token, amountBase: c.big }),
);

/** Entries with consecutive numbers, which are not written. */
const unnumbered = c.array(
  c.struct<Omit<Entry, 'seq'>>({
    atMs: c.number,
    wallet: note,
    facts,
    postings,
    balanceAfterBase: c.nullable(c.big),
  }),
);

export interface NumberedEntries {
  readonly first: number;
  readonly entries: readonly Entry[];
}

export const numberedEntries: c.Codec<NumberedEntries> = c.derived(
  c.struct<{ first: number; entries: readonly Omit<Entry, 'seq'>[] }>({
    first: c.count,
    entries: unnumbered,
  }),
  ({ first, entries }) => ({ first, entries: entries.map((entry, at) => ({ seq: first + at, ...entry })) }),
);

export const journal: c.Codec<JournalSnapshot> = c.via(
  c.checked(numberedEntries, ({ first }) => first === 1),
  {
    encode: (entries) => ({ first: 1, entries: entries.toArray() }),
    decode: ({ entries }) => List(entries),
  },
);
