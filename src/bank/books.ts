import { apply, putBack, takeDue, toEntry } from '../core/domain/apply.js';
import { type Cause, UNASKED } from '../core/domain/cause.js';
import type { Decision } from '../core/domain/decision.js';
import type { DueItem } from '../core/domain/due.js';
import type { Entry, EntryDraft } from '../core/domain/entry.js';
import { type Result, ok } from '../core/domain/result.js';
import { type State, emptyState } from '../core/domain/state.js';
import { type JournalMark, MemoryJournal } from '../core/journal/memory.js';
import type { BankFeed } from './in-flight-work.js';

/** The books at one moment, as a value. */
export interface BooksMark {
  readonly state: State;
  readonly entries: JournalMark;
}

/** The journal and its fold. `append` is the one write path: nothing else changes the state. */
export class Books {
  readonly #journal = new MemoryJournal();
  #state: State;
  #ambient: Cause = UNASKED;
  #listener: (entry: Entry, cause: Cause) => void = () => undefined;
  #onTaken: BankFeed['taken'] = () => undefined;
  #onAgain: BankFeed['again'] = () => undefined;
  /** What has fallen due and is being carried out. */
  readonly #begun = new Set<DueItem>();

  constructor(options: { creditInHistory: boolean }) {
    this.#state = emptyState(options);
  }

  get state(): State {
    return this.#state;
  }

  /** Calls `listener` with each entry once it is on the books, and with what it was appended for. */
  onAppend(listener: (entry: Entry, cause: Cause) => void): void {
    this.#listener = listener;
  }

  entryAt = (seq: number): Entry => this.#journal.at(seq);

  /** Carries a decision out, or passes its refusal on. What was decided on must still be the state. */
  commit<V>(decision: Result<Decision<V>>, atMs: number, cause: Cause = UNASKED): Result<V> {
    if (!decision.ok) return decision;
    const entry = this.append(decision.value.draft, atMs, cause);
    return ok(decision.value.view(this.#state, entry));
  }

  /** Numbers, keeps and folds an entry. */
  append(draft: EntryDraft, atMs: number, cause: Cause = UNASKED): Entry {
    const entry = toEntry(this.#state, draft, atMs);
    const next = apply(this.#state, entry);
    this.#journal.append(entry);
    this.#state = next;
    this.#listener(entry, cause === UNASKED ? this.#ambient : cause);
    return entry;
  }

  /** What `work` appends without a cause, before it first waits for something, is appended for this one. */
  during<T>(cause: Cause, work: () => T): T {
    this.#ambient = cause;
    try {
      return work();
    } finally {
      this.#ambient = UNASKED;
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
  onDue({ taken, again }: Pick<BankFeed, 'taken' | 'again'>): void {
    this.#onTaken = taken;
    this.#onAgain = again;
  }

  mark(): BooksMark {
    return { state: this.#state, entries: this.#journal.mark() };
  }

  restore(mark: BooksMark): void {
    this.#state = mark.state;
    this.#journal.restore(mark.entries);
  }
}
