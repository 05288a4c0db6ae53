import { List } from 'immutable';
import type { Entry } from '../../core/domain/entry.js';
import { type Archive, type JournalSnapshot, allEntries } from '../../core/journal/memory.js';
import { Reader, Writer } from './bytes.js';
import type { Codec } from './codec.js';
import { ENTRIES_LAYOUT, readEntries, writeEntries } from './entries.js';

/** Entries of a block, which is taken apart as a whole. */
const BLOCK = 1_024;

/** Entries as they stand in a state. Most are never asked for, so a block is read for the first who asks for one of it. */
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

function sizeOf({ archive, recent }: JournalSnapshot): number {
  return (archive?.size ?? 0) + recent.size;
}

/** Blocks of the journal. Those that came out of a state and are full go into the next as they are. */
function blocksOf(snapshot: JournalSnapshot): Uint8Array[] {
  const { archive } = snapshot;
  const kept = archive instanceof StateArchive ? Math.floor(archive.size / BLOCK) : 0;
  const blocks = Array.from({ length: kept }, (_, at) => (archive as StateArchive).block(at));
  const rest = allEntries(
    kept === 0 ? snapshot : { ...snapshot, archive: partOf(archive as Archive, kept * BLOCK) },
  );
  for (let at = 0; at < rest.length; at += BLOCK) {
    const to = new Writer();
    writeEntries(to, rest.slice(at, at + BLOCK));
    blocks.push(to.bytes());
  }
  return blocks;
}

/** What an archive holds after its first entries, numbered from 1. */
function partOf(archive: Archive, after: number): Archive {
  return { size: archive.size - after, at: (seq) => archive.at(after + seq) };
}

/** The journal: entries in blocks, so that whoever wants one need not take all of them apart. */
export const journal: Codec<JournalSnapshot> = {
  layout: `${BLOCK}${ENTRIES_LAYOUT}`,
  write: (to, snapshot) => {
    to.count(sizeOf(snapshot));
    for (const block of blocksOf(snapshot)) to.raw(block);
  },
  read: (from) => {
    const size = from.size();
    const blocks = Array.from({ length: Math.ceil(size / BLOCK) }, () => from.raw());
    return { archive: size === 0 ? null : new StateArchive(size, blocks), recent: List() };
  },
};
