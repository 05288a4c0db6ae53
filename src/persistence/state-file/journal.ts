import { List } from 'immutable';
import type { Entry } from '../../core/domain/entry.js';
import { type Archive, type JournalSnapshot, MemoryJournal } from '../../core/journal/memory.js';
import { type Blocking, Blocks, writeBlocks } from './blocks.js';
import type { Codec } from './codec.js';
import { ENTRIES_LAYOUT, readEntries, writeEntries } from './entries.js';

const BLOCKING: Blocking<Entry> = {
  length: 1_024,
  write: writeEntries,
  read: (from, first) => readEntries(from, first + 1),
};

/**
 * In memory, where agents read a few entries each of a long past. Longer blocks take little less memory, and to decode a thousand entries for
 * one of them made up most of the time of a long study.
 */
const BLOCKING_IN_MEMORY: Blocking<Entry> = { ...BLOCKING, length: 32 };

/** Entries from a state file, or compacted. */
class StateArchive implements Archive {
  constructor(
    readonly size: number,
    readonly blocks: Blocks<Entry>,
  ) {}

  at(seq: number): Entry {
    return this.blocks.at(seq - 1);
  }

  isOf({ length }: Blocking<Entry>): boolean {
    return this.blocks.length === length;
  }
}

/** The journal: entries in blocks, so that reading one entry does not decode all of them. */
export const journal: Codec<JournalSnapshot> = {
  layout: `${BLOCKING.length}${ENTRIES_LAYOUT}`,
  write: (to, snapshot) => {
    const { archive } = snapshot;
    const all = new MemoryJournal();
    all.restore(snapshot);
    const size = all.size();
    const blocksOf = (index: number) =>
      archive instanceof StateArchive && archive.isOf(BLOCKING) && index < archive.size
        ? archive.blocks
        : null;
    to.count(size);
    writeBlocks(to, { size, at: (index) => all.at(index + 1), blocksOf }, BLOCKING);
  },
  read: (from) => {
    const size = from.size();
    const blocks = Blocks.from(from, size, BLOCKING);
    return { archive: size === 0 ? null : new StateArchive(size, blocks), recent: List() };
  },
};

/**
 * The journal with its full blocks of entries as bytes, which take a tenth of the memory; the last entries stay as they are. A journal from a
 * state file is returned unchanged.
 */
export function compacted({ archive, recent }: JournalSnapshot): JournalSnapshot {
  const { length } = BLOCKING_IN_MEMORY;
  const full = Math.floor(recent.size / length);
  const before = archive ?? new StateArchive(0, Blocks.empty(BLOCKING_IN_MEMORY));
  if (full === 0 || !(before instanceof StateArchive) || !before.isOf(BLOCKING_IN_MEMORY))
    return { archive, recent };
  const blocks = Array.from({ length: full }, (_, at) =>
    recent.slice(at * length, (at + 1) * length).toArray(),
  );
  return {
    archive: new StateArchive(before.size + full * length, before.blocks.with(blocks)),
    recent: List(recent.slice(full * length).toArray()),
  };
}
