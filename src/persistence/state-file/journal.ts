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

/** Entries from a state file. */
class StateArchive implements Archive {
  constructor(
    readonly size: number,
    readonly blocks: Blocks<Entry>,
  ) {}

  at(seq: number): Entry {
    return this.blocks.at(seq - 1);
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
      archive instanceof StateArchive && index < archive.size ? archive.blocks : null;
    to.count(size);
    writeBlocks(to, { size, at: (index) => all.at(index + 1), blocksOf }, BLOCKING);
  },
  read: (from) => {
    const size = from.size();
    const blocks = new Blocks(from, size, BLOCKING);
    return { archive: size === 0 ? null : new StateArchive(size, blocks), recent: List() };
  },
};
