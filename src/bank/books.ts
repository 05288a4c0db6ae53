import { apply, putBack, takeDue, toEntry } from '../core/domain/apply.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Decision } from '../core/domain/decision.js';
import type { DueItem } from '../core/domain/due.js';
import type { Entry, EntryDraft } from '../core/domain/entry.js';
import { type Result, ok } from '../core/domain/result.js';
import { type State, emptyState } from '../core/domain/state.js';
import { type JournalSnapshot, MemoryJournal } from '../core/journal/memory.js';
import type { BankChangeListener } from './in-flight-work.js';

export interface BooksSnapshot {
  readonly state: State;
  readonly entries: JournalSnapshot;
}

/** The journal and the state folded from it. `append` is the only write path. */
export class Books {
  readonly #journal = new MemoryJournal();
  #state: State;
  #listener: (entry: Entry, cause: RequestContext) => void = () => undefined;
  /** Called with due items that are taken or reinserted. */
  onChange: BankChangeListener = () => undefined;
  readonly #begun = new Set<DueItem>();

  constructor(options: { creditInHistory: boolean }) {
    this.#state = emptyState(options);
  }

  get state(): State {
    return this.#state;
  }

  /** Registers `listener`, called with each appended entry and its request context. */
  onAppend(listener: (entry: Entry, cause: RequestContext) => void): void {
    this.#listener = listener;
  }

  entryAt = (seq: number): Entry => this.#journal.at(seq);

  /** Applies a decision, or returns its refusal. The state must not have changed since the decision. */
  commit<V>(decision: Result<Decision<V>>, atMs: number, cause: RequestContext = NO_REQUEST): Result<V> {
    if (!decision.ok) return decision;
    const entry = this.append(decision.value.draft, atMs, cause);
    return ok(decision.value.view(this.#state, entry));
  }

  /** Numbers an entry, appends it to the journal and folds it into the state. */
  append(draft: EntryDraft, atMs: number, cause: RequestContext = NO_REQUEST): Entry {
    const entry = toEntry(this.#state, draft, atMs);
    const next = apply(this.#state, entry);
    this.#journal.append(entry);
    this.#state = next;
    this.#listener(entry, cause);
    return entry;
  }

  /** Removes the earliest due item from the state; null when there are none. */
  takeDue(): DueItem | null {
    const taken = takeDue(this.#state);
    if (taken === null) return null;
    this.#state = taken.rest;
    this.#begun.add(taken.item);
    this.onChange('taken', this.#journal.size());
    return taken.item;
  }

  dueIsDone(item: DueItem): void {
    this.#begun.delete(item);
  }

  /** Due items that were taken but not completed. */
  begun(): DueItem[] {
    return [...this.#begun];
  }

  /** Reinserts due items that another process started but did not complete, or that must be repeated. */
  dueAgain(items: readonly DueItem[]): void {
    for (const item of items) this.#state = putBack(this.#state, item);
    this.onChange('again', ...items);
  }

  snapshot(): BooksSnapshot {
    return { state: this.#state, entries: this.#journal.snapshot() };
  }

  restore(snapshot: BooksSnapshot): void {
    this.#state = snapshot.state;
    this.#journal.restore(snapshot.entries);
  }
}
