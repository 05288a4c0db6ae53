import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import type { Bank } from '../../bank/bank.js';
import type { BankChangeListener, BankChanges } from '../../bank/in-flight-work.js';
import type { Scheduler } from '../../runtime/scheduler.js';
import { type Checkpoint, hasChanged, writeChanges } from './changes.js';
import type { Fsync, WriteAheadFile } from './write-ahead-file.js';

export interface CommittedWorld {
  /** The current state of the world, including work in flight. */
  now(): Checkpoint;
  /** Rolls back to a checkpoint; time does not go back. */
  restore(checkpoint: Checkpoint): Promise<void>;
  encode(checkpoint: Checkpoint): Promise<Uint8Array>;
}

export interface GroupCommitterOptions {
  readonly disk: WriteAheadFile;
  readonly world: CommittedWorld;
  readonly scheduler: Scheduler;
  readonly bank: Bank;
  readonly fsync: Fsync;
  /** Compact the file when its appended changes are this many times as large as its initial snapshot. */
  readonly compactAt: number;
  readonly saved: Checkpoint;
  /** Called when the disk becomes unwritable, and when it is writable again. */
  readonly onTrouble: (message: string) => void;
}

/** Smaller worlds are compacted as if they had this size: there is little to gain. */
const SMALL_WORLD_BYTES = 256 * 1_024;

/** Callers whose changes are written together. */
class Group {
  resolve: () => void = () => undefined;
  reject: (error: Error) => void = () => undefined;
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // Callers get the rejection; until one awaits it, it must not count as unhandled.
    this.promise.catch(() => undefined);
  }
}

function noChanges(): { [K in keyof BankChanges]: BankChanges[K][number][] } {
  return { again: [], taken: [], used: [], kept: [] };
}

/** Makes changes of a world durable before responses are sent, as group commits. */
export class GroupCommitter {
  readonly #parts: GroupCommitterOptions;
  #saved: Checkpoint;
  /** The state that needs no further write: the durable one, the one being written, or the one after a rollback. */
  #seen: Checkpoint;
  #events = noChanges();
  #group: Group | null = null;
  #writing: Promise<void> | null = null;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isReplaced = false;
  /** Whether the world differs from its file in what changes cannot express, such as secrets drawn anew. */
  #isOther = false;
  /** The size from which compaction is tried again after it has failed. */
  #nextTryBytes = 0;
  #isInTrouble = false;
  /** Why nothing can be persisted any more; null while it can. */
  #broken: Error | null = null;

  constructor(parts: GroupCommitterOptions) {
    this.#parts = parts;
    this.#saved = parts.saved;
    this.#seen = parts.saved;
  }

  feed(): BankChangeListener {
    return (kind, ...changes) => {
      const all: unknown[] = this.#events[kind];
      all.push(...changes);
    };
  }

  /**
   * `null` when every visible change is durable; otherwise resolves once it is. Rejects with
   * StorageUnavailable when the disk cannot be written, after rolling back to the durable state.
   */
  whenDurable(): Promise<void> | null {
    if (this.#broken !== null) return Promise.reject(this.#broken);
    if (this.#group === null) {
      const isSeen = !this.#isReplaced && !hasChanged(this.#seen, this.#parts.world.now());
      if (isSeen) return this.#writing;
      this.#group = new Group();
      if (!this.#isRunning) {
        this.#isRunning = true;
        this.#running = this.#run();
      }
    }
    return this.#group.promise;
  }

  /** Call when the world was replaced: what follows is not a change of the durable state. */
  replaced(): void {
    this.#isReplaced = true;
    this.#events = noChanges();
  }

  /** Call when the world has other secrets or another engine than its file: the next write is the whole world. */
  isOther(): void {
    this.#isOther = true;
    this.replaced();
  }

  /** Writes pending changes and closes. Changes that cannot be written are lost; none of them was acknowledged. */
  async close(): Promise<void> {
    await this.whenDurable()?.catch(() => undefined);
    // No caller can join from here on; groups formed meanwhile are completed. A closed file must not be written to.
    this.#broken ??= new StorageUnavailable('the world is closed');
    await this.#running;
    this.#parts.disk.close();
  }

  async #run(): Promise<void> {
    for (let group = this.#group; group !== null; group = this.#group) {
      // More callers join in this turn, and while the group before is written.
      await nextTurn();
      this.#group = null;
      this.#writing = group.promise;
      try {
        await this.#write();
        this.#writing = null;
        this.#recovered();
        group.resolve();
        await this.#compactWhenLong();
      } catch (error) {
        await this.#rollBack(error, group);
      }
    }
    this.#isRunning = false;
  }

  async #write(): Promise<void> {
    const { disk, world, scheduler, fsync } = this.#parts;
    // Exclusive work leaves the world inconsistent until it ends.
    while (scheduler.moving !== null) await scheduler.moving;
    const now = world.now();
    const events = this.#events;
    const isReplaced = this.#isReplaced || this.#isOther;
    this.#events = noChanges();
    this.#isReplaced = false;
    this.#seen = now;
    if (isReplaced) {
      await disk.replace(await world.encode(now));
      this.#isOther = false;
    } else await disk.append(writeChanges(this.#saved, now, events), fsync);
    this.#saved = now;
  }

  /** Rolls back after a failed write, before any caller is acknowledged. */
  async #rollBack(error: unknown, group: Group): Promise<void> {
    const { world, scheduler, bank } = this.#parts;
    const unavailable = new StorageUnavailable(String(error));
    this.#reportFailure(error);
    try {
      await scheduler.runExclusive(async () => {
        await world.restore(this.#saved);
        this.#events = noChanges();
        this.#isReplaced = false;
        await bank.resume(this.#saved.underWay);
        this.#seen = world.now();
        this.#end(group, unavailable);
      });
    } catch (bug) {
      this.#broken = unavailable;
      this.#end(group, unavailable);
      this.#parts.onTrouble(`the world cannot go back to what the disk holds: ${String(bug)}`);
    }
  }

  /** Rejects all waiting callers: they have seen or made changes that no longer exist. */
  #end(group: Group, error: Error): void {
    this.#writing = null;
    group.reject(error);
    this.#group?.reject(error);
    this.#group = null;
  }

  #reportFailure(error: unknown): void {
    if (!this.#isInTrouble)
      this.#parts.onTrouble(`the data cannot be written (${String(error)}): reads go on, writes are refused`);
    this.#isInTrouble = true;
  }

  #recovered(): void {
    if (this.#isInTrouble) this.#parts.onTrouble('the data can be written again');
    this.#isInTrouble = false;
  }

  /** Between two writes, so that callers who have joined meanwhile wait for it. When it fails the file keeps growing. */
  async #compactWhenLong(): Promise<void> {
    const { disk, world, compactAt, onTrouble } = this.#parts;
    const appendedBytes = disk.size - disk.worldBytes;
    const isLong = appendedBytes >= compactAt * Math.max(disk.worldBytes, SMALL_WORLD_BYTES);
    if (!isLong || disk.size < this.#nextTryBytes) return;
    try {
      await disk.replace(await world.encode(this.#saved));
    } catch (error) {
      this.#nextTryBytes = 2 * disk.size;
      onTrouble(`the data could not be compacted (${String(error)}); it goes on growing`);
    }
  }
}
