import { List } from 'immutable';
import type { Entry } from '../domain/entry.js';

/** Where entries are kept: appended at the end, read by number. */
export interface Journal {
  append(entry: Entry): void;
  /** The entry with a number that was appended. Throws RangeError otherwise. */
  at(seq: number): Entry;
  size(): number;
}

/** The first entries of a journal that began as a state from elsewhere. They may be taken apart when somebody asks only. */
export interface Archive {
  /** Entries 1 to this one. */
  readonly size: number;
  /** One of them. */
  at(seq: number): Entry;
}

/** A journal at one moment, as a value. */
export interface JournalSnapshot {
  /** Null for a journal that began empty. */
  readonly archive: Archive | null;
  /** The entries after the archive's. */
  readonly recent: List<Entry>;
}

/** All entries of a journal at a moment, in order. */
export function allEntries({ archive, recent }: JournalSnapshot): Entry[] {
  const archived = Array.from({ length: archive?.size ?? 0 }, (_, at) => (archive as Archive).at(at + 1));
  return [...archived, ...recent];
}

/** A journal in memory; as a value it can be marked and restored at no cost. */
export class MemoryJournal implements Journal {
  #archive: Archive | null = null;
  #archived = 0;
  #recent: List<Entry> = List();

  append(entry: Entry): void {
    this.#recent = this.#recent.push(entry);
  }

  at(seq: number): Entry {
    const recent = seq - this.#archived;
    if (Number.isInteger(seq) && seq > 0 && recent <= 0) return (this.#archive as Archive).at(seq);
    const entry = Number.isInteger(seq) && recent > 0 ? this.#recent.get(recent - 1) : undefined;
    if (entry === undefined) throw new RangeError(`the journal has no entry ${seq}`);
    return entry;
  }

  size(): number {
    return this.#archived + this.#recent.size;
  }

  snapshot(): JournalSnapshot {
    return { archive: this.#archive, recent: this.#recent };
  }

  restore({ archive, recent }: JournalSnapshot): void {
    this.#archive = archive;
    this.#archived = archive?.size ?? 0;
    this.#recent = recent;
  }
}
