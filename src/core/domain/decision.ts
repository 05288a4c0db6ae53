import type { Entry, EntryDraft } from './entry.js';
import type { State } from './state.js';

/** The outcome of an allowed operation: the entry to append, and the response to render once it is appended. */
export interface Decision<V> {
  readonly draft: EntryDraft;
  view(after: State, entry: Entry): V;
}
