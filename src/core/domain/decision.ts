import type { Entry, EntryDraft } from './entry.js';
import { type Result, ok } from './result.js';
import type { State } from './state.js';

/** The outcome of an allowed operation: the entry to append, and the response to render once it is appended. */
export interface Decision<V> {
  readonly draft: EntryDraft;
  view(after: State, entry: Entry): V;
}

/** Allows an operation whose response is `view`. */
export function allow<V>(draft: EntryDraft, view: Decision<V>['view']): Result<Decision<V>> {
  return ok({ draft, view });
}

/** Allows an operation without a response. */
export function allowSilently(draft: EntryDraft): Result<Decision<void>> {
  return ok({ draft, view: () => undefined });
}
