import { remember } from '../bank/expiring.js';
import { keepCall } from '../bank/kept-calls.js';
import type { UnderWay } from '../bank/under-way.js';
import { append } from '../chain/history.js';
import { apply, putBack, takeDue } from '../domain/apply.js';
import type { Mark } from '../library/moments.js';
import { StateError } from '../state-file/state-error.js';
import { type Changes, journalSize } from './changes.js';

/** A world as a file tells it: a mark, what was under way then, and when that was. */
export interface ToldWorld {
  readonly mark: Mark;
  readonly underWay: UnderWay;
  readonly wallMs: number;
}

function wrong(): StateError {
  return new StateError('state_damaged', 'changes do not follow what was before them');
}

/** The books after new entries, and after what fell due between them was taken off. */
function bookedOn(
  books: Mark['bank']['books'],
  { journal: { first, entries }, taken, again }: Pick<Changes, 'journal' | 'taken' | 'again'>,
): Mark['bank']['books'] {
  let { state } = books;
  for (const item of again) state = putBack(state, item);
  const { archive, recent } = books.entries;
  if (first !== journalSize(books.entries) + 1) throw wrong();
  let next = 0;
  const takeUpTo = (size: number) => {
    for (; next < taken.length && (taken[next] as number) <= size; next += 1) {
      const rest = takeDue(state);
      if (rest === null) throw wrong();
      state = rest.rest;
    }
  };
  for (const entry of entries) {
    takeUpTo(entry.seq - 1);
    state = apply(state, entry);
  }
  takeUpTo(Infinity);
  return { state, entries: { archive, recent: recent.concat(entries) } };
}

function bankOn(bank: Mark['bank'], changes: Changes): Mark['bank'] {
  const { issued, transfersSent, tokensIssued, requestsIssued } = changes;
  let { used } = bank.auth;
  for (const { key, expiresMs, nowMs } of changes.used)
    used = remember(used, key, { value: true, expiresMs }, nowMs);
  let { idempotency } = bank;
  for (const { key, stored, expiresMs, nowMs } of changes.kept)
    idempotency = keepCall(idempotency, key, { value: stored, expiresMs }, nowMs);
  return {
    books: bookedOn(bank.books, changes),
    auth: { issued, used },
    idempotency,
    late: changes.late ?? bank.late,
    policy: changes.policy ?? bank.policy,
    transfersSent,
    tokensIssued,
    requestsIssued,
  };
}

function groundOn(ground: Mark['ground'], { records, extraSlots, faucet, fates }: Changes): Mark['ground'] {
  let { history } = ground.chain;
  for (const record of records) history = append(history, record);
  const accounts = ground.chain.accounts.withMutations((all) => {
    for (const { touched } of records) for (const { address, post } of touched) all.set(address, post);
  });
  return { chain: { history, accounts, extraSlots }, faucet, fates: fates ?? ground.fates };
}

/** The world after changes. Throws StateError for changes of another moment. */
export function worldOn({ mark }: ToldWorld, changes: Changes): ToldWorld {
  const { clock, wallMs, seenMs, walletsMade, underWay } = changes;
  return {
    mark: {
      bank: bankOn(mark.bank, changes),
      ground: groundOn(mark.ground, changes),
      clock,
      oracle: changes.oracle ?? mark.oracle,
      seenMs,
      faults: changes.faults ?? mark.faults,
      walletsMade,
    },
    underWay,
    wallMs,
  };
}
