import {
  ACCOUNT_NAMES,
  type AccountName,
  type Entry,
  type Facts,
  type LoanTerms,
  type OutflowTerms,
  type Posting,
} from '../../core/domain/entry.js';
import { TOKENS, type Token } from '../../core/domain/money.js';
import type { Reader, Writer } from './bytes.js';
import { big, flag, nullable, number, oneOf, struct, text, union } from './codec.js';

const token = oneOf(...TOKENS);
const note = nullable(text);
const amount = nullable(big);

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

const account = oneOf(...ACCOUNT_NAMES);

/** A posting; its owner is mostly the entry's wallet, then not written. Hand-written for speed, since there are so many. */
function writePosting(to: Writer, posting: Posting, wallet: string | null): void {
  account.write(to, posting.account);
  token.write(to, posting.token);
  const { owner } = posting;
  to.count(owner === null ? 0 : owner === wallet ? 1 : 2);
  if (owner !== null && owner !== wallet) to.text(owner);
  to.big(posting.amountBase);
}

function ownerOf(from: Reader, wallet: string | null): string | null {
  switch (from.count()) {
    case 0:
      return null;
    case 1:
      return wallet;
    case 2:
      return from.text();
    default:
      throw from.wrong();
  }
}

function readPosting(from: Reader, wallet: string | null): Posting {
  const name: AccountName = account.read(from);
  const of: Token = token.read(from);
  return { account: name, owner: ownerOf(from, wallet), token: of, amountBase: from.big() };
}

function readPostings(from: Reader, wallet: string | null): Posting[] {
  const postings: Posting[] = [];
  for (let left = from.size(); left > 0; left -= 1) postings.push(readPosting(from, wallet));
  return postings;
}

export const ENTRIES_LAYOUT = `[atMs wallet ${facts.layout} [${account.layout} ${token.layout} owner big] balance]`;

/** A sequence of entries: their numbers are consecutive and not written, instants are delta-encoded. */
export function writeEntries(to: Writer, entries: readonly Entry[]): void {
  to.count(entries.length);
  let lastMs = 0;
  for (const { atMs, wallet, facts: what, postings, balanceAfterBase } of entries) {
    to.number(atMs - lastMs);
    lastMs = atMs;
    note.write(to, wallet);
    facts.write(to, what);
    to.count(postings.length);
    for (const posting of postings) writePosting(to, posting, wallet);
    amount.write(to, balanceAfterBase);
  }
}

/** Decodes entries; `firstSeq` is the number of the first. */
export function readEntries(from: Reader, firstSeq: number): Entry[] {
  const entries: Entry[] = [];
  const size = from.size();
  let atMs = 0;
  for (let at = 0; at < size; at += 1) {
    atMs += from.number();
    const wallet = note.read(from);
    const what = facts.read(from);
    const postings = readPostings(from, wallet);
    entries.push({
      seq: firstSeq + at,
      atMs,
      wallet,
      facts: what,
      postings,
      balanceAfterBase: amount.read(from),
    });
  }
  return entries;
}
