import { List } from 'immutable';
import type { Entry } from '../../core/domain/entry.js';
import { type Archive, type JournalSnapshot, allEntries, journalSize } from '../../core/journal/memory.js';
import { Reader, Writer } from './bytes.js';
import type { Codec } from './codec.js';
import { ENTRIES_LAYOUT, readEntries, writeEntries } from './entries.js';

/** Entries per block, which is decoded as a whole. */
const BLOCK = 1_024;

/** Entries from a state file. Most are never read, so a block is decoded on first access. */
class StateArchive implements Archive {
  readonly #blocks: readonly Uint8Array[];
  readonly #read = new Map<number, readonly Entry[]>();

  constructor(
    readonly size: number,
    blocks: readonly Uint8Array[],
  ) {
    this.#blocks = blocks;
  }

  at(seq: number): Entry {
    const number = Math.floor((seq - 1) / BLOCK);
    let block = this.#read.get(number);
    if (block === undefined) {
      block = readEntries(new Reader(this.block(number)), number * BLOCK + 1);
      this.#read.set(number, block);
    }
    return block[(seq - 1) % BLOCK] as Entry;
  }

  /** The bytes of a block by its number. */
  block(number: number): Uint8Array {
    return this.#blocks[number] as Uint8Array;
  }
}

/** The journal's encoded blocks. Full ones from a state file are reused. */
function blocksOf(snapshot: JournalSnapshot): Uint8Array[] {
  const { archive } = snapshot;
  const reused = archive instanceof StateArchive ? Math.floor(archive.size / BLOCK) : 0;
  const blocks = Array.from({ length: reused }, (_, at) => (archive as StateArchive).block(at));
  const rest = allEntries(
    reused === 0 ? snapshot : { ...snapshot, archive: partOf(archive as Archive, reused * BLOCK) },
  );
  for (let at = 0; at < rest.length; at += BLOCK) {
    const to = new Writer();
    writeEntries(to, rest.slice(at, at + BLOCK));
    blocks.push(to.bytes());
  }
  return blocks;
}

/** The entries of an archive after its first `after`, numbered from 1. */
function partOf(archive: Archive, after: number): Archive {
  return { size: archive.size - after, at: (seq) => archive.at(after + seq) };
}

/** The journal: entries in blocks, so that reading one entry does not decode all of them. */
export const journal: Codec<JournalSnapshot> = {
  layout: `${BLOCK}${ENTRIES_LAYOUT}`,
  write: (to, snapshot) => {
    to.count(journalSize(snapshot));
    for (const block of blocksOf(snapshot)) to.raw(block);
  },
  read: (from) => {
    const size = from.size();
    const blocks = Array.from({ length: Math.ceil(size / BLOCK) }, () => from.raw());
    return { archive: size === 0 ? null : new StateArchive(size, blocks), recent: List() };
  },
};
