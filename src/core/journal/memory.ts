import { List } from 'immutable';
import type { Entry } from '../domain/entry.js';

/** All entries, in order: the first one has number 1. */
export type JournalSnapshot = List<Entry>;

/** An append-only journal in memory; snapshot and restore cost nothing. */
export class MemoryJournal {
  #entries: JournalSnapshot = List();

  append(entry: Entry): void {
    this.#entries = this.#entries.push(entry);
  }

  /** The entry with this number. Throws RangeError when it does not exist. */
  at(seq: number): Entry {
    const entry = Number.isInteger(seq) && seq > 0 ? this.#entries.get(seq - 1) : undefined;
    if (entry === undefined) throw new RangeError(`the journal has no entry ${seq}`);
    return entry;
  }

  size(): number {
    return this.#entries.size;
  }

  snapshot(): JournalSnapshot {
    return this.#entries;
  }

  restore(entries: JournalSnapshot): void {
    this.#entries = entries;
  }
}
