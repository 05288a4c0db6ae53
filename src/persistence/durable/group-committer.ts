import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import type { BankChangeListener, BankChanges } from '../../bank/in-flight-work.js';
import type { DataConfig } from '../../runtime/config.js';
import type { PersistedWorld } from '../state.js';
import {
  type Checkpoint,
  checkpointOf,
  clockNow,
  hasChanged,
  wholeWorld,
  writeChanges,
} from './checkpoint.js';
import type { WriteAheadFile } from './write-ahead-file.js';

export interface GroupCommitterOptions extends Pick<DataConfig, 'fsync' | 'compactAt'> {
  readonly disk: WriteAheadFile;
  readonly world: PersistedWorld;
  readonly saved: Checkpoint;
  /** Whether the world differs from the file in a way that changes cannot express, such as new secrets. */
  readonly mustRewrite: boolean;
  /** Called when the disk becomes unwritable, and when it is writable again. */
  readonly onTrouble: (message: string) => void;
}

/** Smaller worlds are compacted as if they had this size, since compacting them gains little. */
const SMALL_WORLD_BYTES = 256 * 1_024;

/** No writes to wait for: at the start, and after a rollback, whose failed writes no later one may join. */
const NOTHING = Promise.resolve();

function noChanges(): { [K in keyof BankChanges]: BankChanges[K][number][] } {
  return { again: [], taken: [], used: [], kept: [] };
}

/** Makes changes of a world durable before responses are sent, by group commits. */
export class GroupCommitter {
  readonly #parts: GroupCommitterOptions;
  #saved: Checkpoint;
  /** The state that needs no further write: the durable one, the one being written, or the one after a rollback. */
  #seen: Checkpoint;
  #events = noChanges();
  /** The next write, which callers can still join; null when none is needed. */
  #next: Promise<void> | null = null;
  /** The write in progress. */
  #writing: Promise<void> | null = null;
  /** Settles when all writes have ended. A write after one that fails fails too: what it was to write no longer exists. */
  #last = NOTHING;
  #isReplaced = false;
  /** Whether the next write must be the whole world, whether or not the present write succeeds. */
  #mustRewrite: boolean;
  /** The size from which compaction is tried again after it has failed. */
  #nextTryBytes = 0;
  #isInTrouble = false;
  /** Why nothing can be persisted any longer; null while it can. */
  #broken: Error | null = null;

  constructor(parts: GroupCommitterOptions) {
    // What a user's hook throws reaches the process, and does not stop the writes.
    this.#parts = { ...parts, onTrouble: (text) => queueMicrotask(() => parts.onTrouble(text)) };
    this.#saved = parts.saved;
    this.#seen = parts.saved;
    this.#mustRewrite = parts.mustRewrite;
  }

  readonly listen: BankChangeListener = (kind, ...changes) => {
    const all: unknown[] = this.#events[kind];
    all.push(...changes);
  };

  /**
   * `null` when every visible change is durable; otherwise resolves once it is. Rejects with
   * StorageUnavailable when the disk cannot be written, after rolling back to the durable state.
   */
  whenDurable(): Promise<void> | null {
    if (this.#broken !== null) return Promise.reject(this.#broken);
    if (this.#next === null) {
      const isSeen = !this.#isReplaced && !hasChanged(this.#seen, checkpointOf(this.#parts.world));
      if (isSeen) return this.#writing;
      this.#next = this.#last.then(() => this.#commit());
      this.#last = this.#next.then(() => this.#compactWhenLong());
      // Callers get the rejection; until one awaits it, it must not count as unhandled.
      this.#last.catch(() => undefined);
    }
    return this.#next;
  }

  /** Call when the world was replaced: what follows is not a change of the durable state. */
  replaced(): void {
    this.#isReplaced = true;
    this.#events = noChanges();
  }

  /** Writes pending changes and closes. Changes that cannot be written are lost; no response has acknowledged them. */
  async close(): Promise<void> {
    await this.whenDurable()?.catch(() => undefined);
    // No caller can join from here on; writes begun meanwhile are completed. A closed file must not be written to.
    this.#broken ??= new StorageUnavailable('the world is closed');
    await this.#last.catch(() => undefined);
    this.#parts.disk.close();
  }

  /** Writes the changes of all callers that have joined. */
  async #commit(): Promise<void> {
    // More callers join in this turn, and did while the write before was in progress.
    await nextTurn();
    this.#writing = this.#next;
    this.#next = null;
    try {
      await this.#write();
    } catch (error) {
      throw await this.#rollBack(error);
    }
    this.#writing = null;
    this.#report('the data folder can be written again', false);
  }

  async #write(): Promise<void> {
    const { disk, world, fsync } = this.#parts;
    const { scheduler } = world;
    // Exclusive work leaves the world inconsistent until it ends.
    while (scheduler.moving !== null) await scheduler.moving;
    const now = checkpointOf(world);
    const events = this.#events;
    const isWhole = this.#isReplaced || this.#mustRewrite;
    this.#events = noChanges();
    this.#isReplaced = false;
    this.#seen = now;
    if (isWhole) {
      await disk.replace(await wholeWorld(world, now));
      this.#mustRewrite = false;
    } else await disk.append(writeChanges(this.#saved, now, events), fsync);
    this.#saved = now;
  }

  /** Rolls back after a failed write, before any caller is acknowledged. Returns the error for all waiting callers. */
  async #rollBack(error: unknown): Promise<StorageUnavailable> {
    const { world } = this.#parts;
    const unavailable = new StorageUnavailable(String(error));
    this.#report(
      `the data folder cannot be written (${String(error)}): reads continue, writes are refused`,
      true,
    );
    try {
      await world.scheduler.runExclusive(async () => {
        world.scheduler.rollbackCount += 1;
        // Time does not go back.
        await world.snapshots.restore({ ...this.#saved.snapshot, clock: clockNow(this.#saved) });
        const id = String(this.#saved.lastEvent);
        world.events.append({ kind: 'world', what: 'rolled_back', id }, null);
        this.#events = noChanges();
        this.#isReplaced = false;
        await world.bank.resume(this.#saved.underWay);
        this.#seen = checkpointOf(world);
        // Later callers do not join those that wait, whose changes (or reads of changes) no longer exist.
        this.#writing = null;
        this.#next = null;
        this.#last = NOTHING;
      });
    } catch (bug) {
      this.#broken = unavailable;
      this.#parts.onTrouble(`the world cannot be restored from the disk: ${String(bug)}`);
    }
    return unavailable;
  }

  /** Reports the start and the end of a failure, once each. */
  #report(message: string, isTrouble: boolean): void {
    if (isTrouble !== this.#isInTrouble) this.#parts.onTrouble(message);
    this.#isInTrouble = isTrouble;
  }

  /** Runs between two writes; callers that join meanwhile wait for it. When it fails, the file keeps growing. */
  async #compactWhenLong(): Promise<void> {
    const { disk, world, compactAt, onTrouble } = this.#parts;
    const { size, worldBytes } = disk.sizes;
    const isLong = size - worldBytes >= compactAt * Math.max(worldBytes, SMALL_WORLD_BYTES);
    if (!isLong || size < this.#nextTryBytes) return;
    try {
      await disk.replace(await wholeWorld(world, this.#saved));
    } catch (error) {
      this.#nextTryBytes = 2 * size;
      onTrouble(`the data folder could not be compacted (${String(error)}); it continues to grow`);
    }
  }
}
