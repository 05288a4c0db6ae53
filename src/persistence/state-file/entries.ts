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
import {
  type Codec,
  array,
  big,
  checked,
  count,
  flag,
  nullable,
  number,
  oneOf,
  struct,
  text,
  union,
  via,
} from './codec.js';

const token = oneOf(...TOKENS);
const note = nullable(text);

export const outflowTerms = struct<OutflowTerms>({
  type: oneOf('withdraw', 'x402'),
  token,
  amountBase: big,
  recipient: text,
  payTo: text,
  usdMicro: big,
  executeAtMs: nullable(number),
  serviceUrl: note,
  memo: note,
  requestId: note,
});

/** What an application and its loan have in common, without their status and id. */
export const LOAN_TERMS = {
  amountBase: big,
  aprPpm: big,
  purpose: text,
  durationDays: number,
  collateral: nullable(struct({ type: note, amount: nullable(number) })),
  scoreApproves: flag,
  decideAtMs: nullable(number),
} as const;

const { amountBase, aprPpm, purpose, durationDays, collateral, ...judged } = LOAN_TERMS;

const facts = union<Facts>({
  'bank.opened': {},
  'customer.opened': { collectionAddress: text },
  'identity.linked': { x: flag, github: flag },
  'chain.arrived': { signature: text },
  'collection.opened': {},
  deposit: { token, amountBase: big, signature: text, sender: text },
  'savings.deposit': { token, amountBase: big, indexRay: big },
  'savings.withdraw': { token, amountBase: big, yieldBase: big, indexRay: big },
  'savings.settled': { signature: note },
  'collection.swept': { signature: text },
  'collateral.borrow': { amountBase: big, aprPpm: big },
  'collateral.repay': { principalBase: big, interestBase: big },
  'collateral.liquidated': {
    amountBase: big,
    yieldBase: big,
    indexRay: big,
    principalBase: big,
    interestBase: big,
    penaltyBase: big,
    owedBase: big,
    valueBase: big,
    liquidationPpm: big,
  },
  'outflow.pending': { terms: outflowTerms },
  'outflow.posted': { outflow: number, signature: text, recipient: note },
  'outflow.voided': { outflow: number, reason: text },
  'fees.paid': { signature: text },
  'x402.received': { token, amountBase: big, signature: text, sender: text },
  'loan.applied': {
    loanId: text,
    amountBase,
    aprPpm,
    purpose,
    durationDays,
    collateral,
    status: oneOf<LoanTerms['status']>('pending_review', 'denied'),
    ...judged,
  },
  'loan.approved': { loanId: text, dueAtMs: number, reason: note },
  'loan.denied': { loanId: text, reason: note },
  'loan.called': { loanId: text, dueAtMs: number, reason: note },
  'loan.overdue': { loanId: text },
  'loan.charged': { loanId: text, amountBase: big, owedBase: big },
  'loan.defaulted': { loanId: text },
  'loan.set_off': {
    loanId: text,
    amountBase: big,
    principalBase: big,
    interestBase: big,
    owedBase: big,
    checkingBase: big,
  },
  'loan.cured': { loanId: text, dueAtMs: number, forgiven: flag, reason: note },
  'loan.repaid': {
    loanId: text,
    amountBase: big,
    principalBase: big,
    interestBase: big,
    signature: note,
  },
});

const postings = array(
  struct<Posting>({ account: oneOf(...ACCOUNT_NAMES), owner: note, token, amountBase: big }),
);

/** Entries with consecutive numbers, which are not written. */
const unnumbered = array(
  struct<Omit<Entry, 'seq'>>({
    atMs: number,
    wallet: note,
    facts,
    postings,
    balanceAfterBase: nullable(big),
  }),
);

export interface NumberedEntries {
  readonly first: number;
  readonly entries: readonly Entry[];
}

export const numberedEntries: Codec<NumberedEntries> = via(
  struct<{ first: number; entries: readonly Omit<Entry, 'seq'>[] }>({ first: count, entries: unnumbered }),
  {
    encode: (numbered) => numbered,
    decode: ({ first, entries }) => ({
      first,
      entries: entries.map((entry, at) => ({ seq: first + at, ...entry })),
    }),
  },
);

export const journal: Codec<JournalSnapshot> = via(
  checked(numberedEntries, ({ first }) => first === 1),
  {
    encode: (entries) => ({ first: 1, entries: entries.toArray() }),
    decode: ({ entries }) => List(entries),
  },
);
