import { setWithTtl } from '../../bank/ttl-map.js';
import { keepCall } from '../../bank/kept-calls.js';
import type { InFlightWork } from '../../bank/in-flight-work.js';
import { append } from '../../chain/history.js';
import { apply, putBack, takeDue } from '../../core/domain/apply.js';
import type { WorldSnapshot } from '../../runtime/snapshot-store.js';
import { StateError } from '../state-file/state-error.js';
import { type Changes, journalSize } from './changes.js';

/** A world as read from a data file: a snapshot, the work in flight at it, and the machine's clock. */
export interface RecoveredWorld {
  readonly snapshot: WorldSnapshot;
  readonly underWay: InFlightWork;
  readonly wallMs: number;
}

function wrong(): StateError {
  return new StateError('state_damaged', 'changes do not follow what was before them');
}

/** The books after new entries, and after taking off the items that fell due between them. */
function applyEntries(
  books: WorldSnapshot['bank']['books'],
  { journal: { first, entries }, taken, again }: Pick<Changes, 'journal' | 'taken' | 'again'>,
): WorldSnapshot['bank']['books'] {
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

function applyBankDelta(bank: WorldSnapshot['bank'], changes: Changes): WorldSnapshot['bank'] {
  const { issued, transfersSent, tokensIssued, requestsIssued } = changes;
  let { used } = bank.auth;
  for (const { key, expiresMs, nowMs } of changes.used)
    used = setWithTtl(used, key, { value: true, expiresMs }, nowMs);
  let { idempotency } = bank;
  for (const { key, stored, expiresMs, nowMs } of changes.kept)
    idempotency = keepCall(idempotency, key, { value: stored, expiresMs }, nowMs);
  return {
    books: applyEntries(bank.books, changes),
    auth: { issued, used },
    idempotency,
    late: changes.late ?? bank.late,
    policy: changes.policy ?? bank.policy,
    transfersSent,
    tokensIssued,
    requestsIssued,
  };
}

function applyChainDelta(
  ground: WorldSnapshot['ground'],
  { records, extraSlots, faucet, fates }: Changes,
): WorldSnapshot['ground'] {
  let { history } = ground.chain;
  for (const record of records) history = append(history, record);
  const accounts = ground.chain.accounts.withMutations((all) => {
    for (const { touched } of records) for (const { address, post } of touched) all.set(address, post);
  });
  return { chain: { history, accounts, extraSlots }, faucet, fates: fates ?? ground.fates };
}

/** Applies changes to a world. Throws StateError for changes that do not follow its state. */
export function applyDelta({ snapshot }: RecoveredWorld, changes: Changes): RecoveredWorld {
  const { clock, wallMs, seenMs, walletsMade, underWay } = changes;
  return {
    snapshot: {
      bank: applyBankDelta(snapshot.bank, changes),
      ground: applyChainDelta(snapshot.ground, changes),
      clock,
      oracle: changes.oracle ?? snapshot.oracle,
      seenMs,
      faults: changes.faults ?? snapshot.faults,
      walletsMade,
    },
    underWay,
    wallMs,
  };
}
