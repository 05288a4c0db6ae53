import type { Entry, EntryDraft } from './entry.js';
import type { State } from './state.js';

/** An operation that was found to be allowed: the entry to append and the answer to give once it is appended. */
export interface Decision<V> {
  readonly draft: EntryDraft;
  view(after: State, entry: Entry): V;
}
