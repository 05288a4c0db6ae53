import { List } from 'immutable';
import type { Entry } from '../domain/entry.js';

/** An append-only store of entries, read by number. */
export interface Journal {
  append(entry: Entry): void;
  /** The entry with this number. Throws RangeError when there is none. */
  at(seq: number): Entry;
  size(): number;
}

/** The first entries of a journal that was loaded from a state file. They may be decoded lazily. */
export interface Archive {
  /** The number of archived entries; they are 1 to `size`. */
  readonly size: number;
  at(seq: number): Entry;
}

export interface JournalSnapshot {
  /** Null for a journal that started empty. */
  readonly archive: Archive | null;
  /** The entries after the archive's. */
  readonly recent: List<Entry>;
}

export function journalSize({ archive, recent }: JournalSnapshot): number {
  return (archive?.size ?? 0) + recent.size;
}

/** All entries of a snapshot, in order. */
export function allEntries({ archive, recent }: JournalSnapshot): Entry[] {
  const archived = Array.from({ length: archive?.size ?? 0 }, (_, at) => (archive as Archive).at(at + 1));
  return [...archived, ...recent];
}

/** An in-memory journal; snapshot and restore cost nothing. */
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
