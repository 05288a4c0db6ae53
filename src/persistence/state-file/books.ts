import { List, Map as PMap } from 'immutable';
import type { BooksSnapshot } from '../../bank/books.js';
import type { BankChanges } from '../../bank/in-flight-work.js';
import { apply, putBack, takeDue, withPayment } from '../../core/domain/apply.js';
import type { DailyWindow } from '../../core/domain/daily-window.js';
import type { Debt } from '../../core/domain/debt.js';
import { type DueHeap, type DueItem, type DueTask, dueItems } from '../../core/domain/due.js';
import {
  ACCOUNT_NAMES,
  type AccountName,
  OWNED_ACCOUNTS,
  type OwnedAccount,
} from '../../core/domain/entry.js';
import type { PerToken } from '../../core/domain/money.js';
import type { SavingsPosition } from '../../core/domain/savings.js';
import * as c from './codec.js';
import { LOAN_TERMS, type NumberedEntries, journal, numberedEntries, outflowTerms } from './entries.js';
import { type Field, after } from './field.js';
import { StateError } from './state-error.js';
import {
  type Agent,
  type Balances,
  LOAN_STATUSES,
  type Loan,
  type Outflow,
  type State,
  emptyState,
  requestKey,
} from '../../core/domain/state.js';

export function perToken<T>(codec: c.Codec<T>): c.Codec<PerToken<T>> {
  return c.struct<PerToken<T>>({ USDC: codec, SOL: codec });
}

function balances<A extends AccountName>(accounts: readonly A[]): c.Codec<Balances<A>> {
  const amounts = perToken(c.big);
  return c.struct<Balances<A>>(
    Object.fromEntries(accounts.map((account) => [account, amounts])) as c.Fields<Balances<A>>,
  );
}

const position = c.struct<SavingsPosition>({
  principalBase: c.big,
  bookedYieldBase: c.big,
  valueRay: c.big,
  indexRay: c.big,
});

const debt = c.struct<Debt>({
  principalBase: c.big,
  interestUnits: c.big,
  aprPpm: c.big,
  sinceSeconds: c.big,
});

const window = c.struct<DailyWindow>({
  uses: c.list(c.struct({ outflow: c.number, atMs: c.number, usdMicro: c.big })),
  totalMicro: c.big,
});

/** Increasing numbers, written as differences: most then take one byte. */
const rising: c.Codec<List<number>> = {
  ...c.via(c.array(c.number), {
    encode: (numbers: List<number>) =>
      numbers.toArray().map((each, at) => each - (at === 0 ? 0 : (numbers.get(at - 1) as number))),
    decode: (differences) => {
      let last = 0;
      return List(differences.map((difference) => (last += difference)));
    },
  }),
  layout: '[+number]',
};

const agent = c.struct<Agent>({
  wallet: c.text,
  collectionAddress: c.text,
  openedAtMs: c.number,
  balances: balances<OwnedAccount>(OWNED_ACCOUNTS),
  savings: perToken(position),
  collateralDebt: c.nullable(debt),
  daily: c.struct({ withdraw: window, x402: window }),
  identity: c.struct({ x: c.flag, github: c.flag }),
  loanIds: c.list(c.text),
  repayment: c.struct({ onTime: c.number, late: c.number, defaulted: c.number }),
  history: c.map(c.text, rising),
});

const loan = c.struct<Loan>({
  ...LOAN_TERMS,
  id: c.text,
  wallet: c.text,
  status: c.oneOf(...LOAN_STATUSES),
  createdAtMs: c.number,
  createdSeq: c.number,
  decidedAtMs: c.nullable(c.number),
  reason: c.nullable(c.text),
  dueAtMs: c.nullable(c.number),
  debt: c.nullable(debt),
  record: c.oneOf('clean', 'overdue', 'defaulted'),
});

const outflow = c.struct<Outflow>({
  id: c.number,
  wallet: c.text,
  terms: outflowTerms,
  atMs: c.number,
  status: c.oneOf('pending', 'completed', 'failed'),
  signature: c.nullable(c.text),
  reason: c.nullable(c.text),
});

export const dueItem = c.struct<DueItem>({
  atMs: c.number,
  seq: c.number,
  task: c.union<DueTask>({
    'loan.due': { loanId: c.text },
    'loan.default': { loanId: c.text },
    'review.decide': { loanId: c.text },
    'withdrawal.execute': { outflow: c.number },
    'savings.settle': {},
  }),
});

/** Due items in order. No two have the same instant and entry, so the shape of their heap is irrelevant. */
const due: c.Codec<DueHeap> = c.via(c.array(dueItem), {
  encode: dueItems,
  decode: (items) => items.reduceRight<DueHeap>((left, item) => ({ item, rank: 1, left, right: null }), null),
});

const byId = <T>(codec: c.Codec<T>): c.Codec<PMap<number, T>> => c.map(c.number, codec);

const stateMembers: c.Fields<Omit<State, 'paidRequests'>> = {
  seq: c.number,
  totals: balances(ACCOUNT_NAMES),
  agents: c.map(c.text, agent),
  collections: c.map(c.text, c.text),
  loans: c.map(c.text, loan),
  outflows: byId(outflow),
  openOutflows: byId<true>(c.constant(true)),
  recorded: c.map(c.text, c.number),
  settledBy: c.map(c.text, c.number),
  due,
  settlementScheduled: c.flag,
  creditInHistory: c.flag,
};

function paidRequests(outflows: State['outflows']): State['paidRequests'] {
  return PMap<string, List<number>>().withMutations((paid: State['paidRequests']) => {
    for (const { id, status, terms } of [...outflows.values()].toSorted((a, b) => a.id - b.id)) {
      const key = status === 'failed' ? null : requestKey(terms);
      if (key !== null) withPayment(paid, key, id);
    }
  });
}

/** The index of paid requests is left out, since it follows from the outflows. */
const state: c.Codec<State> = c.via(c.struct<Omit<State, 'paidRequests'>>(stateMembers), {
  encode: ({ paidRequests: _, ...rest }: State) => rest,
  decode: (plain) => ({ ...plain, paidRequests: paidRequests(plain.outflows) }),
});

type BooksChanges = { readonly journal: NumberedEntries } & Pick<BankChanges, 'again' | 'taken'>;

/** The books after new entries, and after taking off the items that fell due between them. */
function applyEntries(
  { state: before, entries }: BooksSnapshot,
  { journal: { first, entries: added }, taken, again }: BooksChanges,
): BooksSnapshot {
  const wrong = () => new StateError('state_damaged', 'the changes do not follow the state before them');
  if (first !== entries.size + 1) throw wrong();
  let now = again.reduce(putBack, before);
  let next = 0;
  const takeUpTo = (size: number) => {
    for (; next < taken.length && (taken[next] as number) <= size; next += 1) {
      const rest = takeDue(now);
      if (rest === null) throw wrong();
      now = rest.rest;
    }
  };
  for (const entry of added) {
    takeUpTo(entry.seq - 1);
    now = apply(now, entry);
  }
  takeUpTo(Infinity);
  return { state: now, entries: entries.concat(added) };
}

/** The books: the journal, and its fold, which is written because reading it is faster than computing it. */
export const books: Field<BooksSnapshot, BooksChanges> = {
  ...c.struct<BooksSnapshot>({ state, entries: journal }),
  changes: { journal: numberedEntries, again: c.array(dueItem), taken: c.array(c.number) },
  hasChanged: (before, now) => before.state !== now.state,
  diff: ({ entries: { size } }, { entries }, changes) => {
    changes.journal = { first: size + 1, entries: after(entries, size) };
  },
  apply: applyEntries,
};

/** Throws when books do not follow from their journal. Due items that were taken are no longer in the books. */
export function proveFold({ state: given, entries }: BooksSnapshot): void {
  const folded = entries.reduce(apply, emptyState(given));
  const { due: _, settlementScheduled: __, ...members } = stateMembers;
  for (const [name, codec] of Object.entries(members) as [keyof typeof members, c.Codec<unknown>][])
    if (!c.encoded(codec, folded[name]).equals(c.encoded(codec, given[name])))
      throw new RangeError(`${name} do not follow from the journal`);
  for (const { task } of dueItems(given.due)) {
    if ('loanId' in task && !given.loans.has(task.loanId)) throw new RangeError(`no loan ${task.loanId}`);
    if ('outflow' in task && !given.outflows.has(task.outflow))
      throw new RangeError(`no outflow ${task.outflow}`);
  }
}
