import { List } from 'immutable';
import type { Entry } from '../domain/entry.js';

/** Where entries are kept: appended at the end, read by number. */
export interface Journal {
  append(entry: Entry): void;
  /** The entry with a number that was appended. Throws RangeError otherwise. */
  at(seq: number): Entry;
  size(): number;
}

/** A journal in memory; as a value it can be marked and restored at no cost. */
export class MemoryJournal implements Journal {
  #entries: List<Entry> = List();

  append(entry: Entry): void {
    this.#entries = this.#entries.push(entry);
  }

  at(seq: number): Entry {
    const entry = Number.isInteger(seq) && seq > 0 ? this.#entries.get(seq - 1) : undefined;
    if (entry === undefined) throw new RangeError(`the journal has no entry ${seq}`);
    return entry;
  }

  size(): number {
    return this.#entries.size;
  }

  mark(): List<Entry> {
    return this.#entries;
  }

  restore(mark: List<Entry>): void {
    this.#entries = mark;
  }
}
