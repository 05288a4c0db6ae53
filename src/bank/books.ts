import { apply, putBack, takeDue, toEntry } from '../core/domain/apply.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Decision } from '../core/domain/decision.js';
import type { DueItem } from '../core/domain/due.js';
import type { Entry, EntryDraft } from '../core/domain/entry.js';
import { type Result, ok } from '../core/domain/result.js';
import { type State, emptyState } from '../core/domain/state.js';
import { type JournalSnapshot, MemoryJournal } from '../core/journal/memory.js';
import type { BankChangeListener } from './in-flight-work.js';

/** The books at one moment, as a value. */
export interface BooksSnapshot {
  readonly state: State;
  readonly entries: JournalSnapshot;
}

/** The journal and its fold. `append` is the one write path: nothing else changes the state. */
export class Books {
  readonly #journal = new MemoryJournal();
  #state: State;
  #ambient: RequestContext = NO_REQUEST;
  #listener: (entry: Entry, cause: RequestContext) => void = () => undefined;
  #onTaken: BankChangeListener['taken'] = () => undefined;
  #onAgain: BankChangeListener['again'] = () => undefined;
  /** What has fallen due and is being carried out. */
  readonly #begun = new Set<DueItem>();

  constructor(options: { creditInHistory: boolean }) {
    this.#state = emptyState(options);
  }

  get state(): State {
    return this.#state;
  }

  /** Calls `listener` with each entry once it is on the books, and with what it was appended for. */
  onAppend(listener: (entry: Entry, cause: RequestContext) => void): void {
    this.#listener = listener;
  }

  entryAt = (seq: number): Entry => this.#journal.at(seq);

  /** Carries a decision out, or passes its refusal on. What was decided on must still be the state. */
  commit<V>(decision: Result<Decision<V>>, atMs: number, cause: RequestContext = NO_REQUEST): Result<V> {
    if (!decision.ok) return decision;
    const entry = this.append(decision.value.draft, atMs, cause);
    return ok(decision.value.view(this.#state, entry));
  }

  /** Numbers, keeps and folds an entry. */
  append(draft: EntryDraft, atMs: number, cause: RequestContext = NO_REQUEST): Entry {
    const entry = toEntry(this.#state, draft, atMs);
    const next = apply(this.#state, entry);
    this.#journal.append(entry);
    this.#state = next;
    this.#listener(entry, cause === NO_REQUEST ? this.#ambient : cause);
    return entry;
  }

  /** What `work` appends without a cause, before it first waits for something, is appended for this one. */
  during<T>(cause: RequestContext, work: () => T): T {
    this.#ambient = cause;
    try {
      return work();
    } finally {
      this.#ambient = NO_REQUEST;
    }
  }

  /** Takes the earliest thing that is due by an instant off the books; null when there is none. */
  takeDue(untilMs: number): DueItem | null {
    const taken = takeDue(this.#state);
    if (taken === null || taken.item.atMs > untilMs) return null;
    this.#state = taken.rest;
    this.#begun.add(taken.item);
    this.#onTaken(this.#journal.size());
    return taken.item;
  }

  /** What was due has been carried out. */
  dueIsDone(item: DueItem): void {
    this.#begun.delete(item);
  }

  /** What was taken off the books and is not done. */
  begun(): DueItem[] {
    return [...this.#begun];
  }

  /** Puts back what another process has begun and not done. */
  dueAgain(items: readonly DueItem[]): void {
    for (const item of items) this.#state = putBack(this.#state, item);
    this.#onAgain(items);
  }

  /** Tells of what is taken off the books because it is due, and of what is put back. */
  onDue({ taken, again }: Pick<BankChangeListener, 'taken' | 'again'>): void {
    this.#onTaken = taken;
    this.#onAgain = again;
  }

  snapshot(): BooksSnapshot {
    return { state: this.#state, entries: this.#journal.snapshot() };
  }

  restore(snapshot: BooksSnapshot): void {
    this.#state = snapshot.state;
    this.#journal.restore(snapshot.entries);
  }
}
