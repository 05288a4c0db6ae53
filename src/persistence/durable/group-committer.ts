import { StorageUnavailable } from '../../core/journal/storage-unavailable.js';
import type { BankChangeListener, InFlightWork } from '../../bank/in-flight-work.js';
import { type ChangeEvents, diff, writeChanges } from './changes.js';
import type { WriteAheadLog, Fsync, NextFile } from './write-ahead-file.js';
import { type Checkpoint, hasChanged } from './checkpoint.js';

/** A world as its keeper sees it. */
export interface CommittedWorld {
  /** The world as it is, whatever is under way. */
  now(): Checkpoint;
  /** The end of work that moves the whole world, in the midst of which it is no world; null while there is none. */
  moving(): Promise<void> | null;
  /** Runs work while nothing else goes on. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Makes the world what it was; its time goes on. */
  restore(checkpoint: Checkpoint): Promise<void>;
  /** Ends what was under way at a moment that was restored. */
  resume(underWay: InFlightWork): Promise<void>;
  /** A moment as bytes. */
  encode(checkpoint: Checkpoint): Promise<Uint8Array>;
}

export interface GroupCommitterOptions {
  readonly disk: WriteAheadLog;
  readonly world: CommittedWorld;
  readonly fsync: Fsync;
  /** The file is compacted when what was appended is so many times as large as the world that it begins with. */
  readonly compactAt: number;
  /** What the disk holds. */
  readonly saved: Checkpoint;
  /** Told when the disk cannot be written, and again when it can. */
  readonly onTrouble: (message: string) => void;
}

/** Worlds below this size are compacted as if they had it: there is little to win. */
const SMALL_WORLD_BYTES = 256 * 1_024;

/** Callers who come one after another join a group for so long. Whoever is alone waits for one turn of the loop only. */
const GATHER_MS = 1;

/** Callers whose changes go to the disk together. */
interface Group {
  size: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function newGroup(): Group {
  let resolve: Group['resolve'] = () => undefined;
  let reject: Group['reject'] = () => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  // Whoever awaits it hears of a failure; until then it is no unhandled one.
  promise.catch(() => undefined);
  return { size: 0, promise, resolve, reject };
}

/** The next turn of the loop. What follows from what has happened by then has happened too, as far as it waits for nothing outside. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

interface Gathered extends ChangeEvents {
  readonly again: ChangeEvents['again'][number][];
  readonly taken: number[];
  readonly used: ChangeEvents['used'][number][];
  readonly kept: ChangeEvents['kept'][number][];
}

function noChanges(): Gathered {
  return { again: [], taken: [], used: [], kept: [] };
}

/** Brings what changes in a world to the disk before anybody is answered. */
export class GroupCommitter {
  readonly #parts: GroupCommitterOptions;
  /** What the disk holds. */
  #saved: Checkpoint;
  /** What nobody has to wait for: the same, or what is being written, or a world that went back to what the disk holds. */
  #seen: Checkpoint;
  #told = noChanges();
  #group: Group | null = null;
  #writing: Promise<void> | null = null;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isReplaced = false;
  /** Whether the world has what its file cannot be told of by changes, such as secrets that were drawn anew. */
  #isOther = false;
  #compacting: Promise<void> | null = null;
  #next: NextFile | null = null;
  #nextTryBytes = 0;
  #isInTrouble = false;
  /** Why nothing can be kept any more; null as long as it can. */
  #broken: Error | null = null;

  constructor(parts: GroupCommitterOptions) {
    this.#parts = parts;
    this.#saved = parts.saved;
    this.#seen = parts.saved;
  }

  /** What the bank tells of its changes. */
  feed(): BankChangeListener {
    return {
      again: (items) => this.#told.again.push(...items),
      taken: (size) => this.#told.taken.push(size),
      used: (key, expiresMs, nowMs) => this.#told.used.push({ key, expiresMs, nowMs }),
      kept: (key, stored, expiresMs, nowMs) => this.#told.kept.push({ key, stored, expiresMs, nowMs }),
    };
  }

  /**
   * Null when everything that anybody could have seen is on the disk; else a promise that is kept when it is. It is broken with
   * StorageUnavailable when the disk does not take it: then the world is again what the disk holds.
   */
  whenDurable(): Promise<void> | null {
    if (this.#broken !== null) return Promise.reject(this.#broken);
    if (this.#group === null) {
      const isSeen = !this.#isReplaced && !hasChanged(this.#seen, this.#parts.world.now());
      if (isSeen) return this.#writing;
      this.#group = newGroup();
      if (!this.#isRunning) {
        this.#isRunning = true;
        this.#running = this.#run();
      }
    }
    this.#group.size += 1;
    return this.#group.promise;
  }

  /** The world has become another one: what comes next is no change of what the disk holds. */
  replaced(): void {
    this.#isReplaced = true;
    this.#told = noChanges();
  }

  /** The world is of other secrets, or on another engine, than its file says: the first that is written is the whole of it. */
  isOther(): void {
    this.#isOther = true;
    this.replaced();
  }

  /** Whether the disk did not take what was written last. */
  get isInTrouble(): boolean {
    return this.#isInTrouble;
  }

  /** Writes what is not written, and ends. What cannot be written is lost; nobody was answered for it. */
  async close(): Promise<void> {
    await this.whenDurable()?.catch(() => undefined);
    // From here on nobody joins; who has joined meanwhile is served. A file that is closed must not be written.
    this.#broken ??= new StorageUnavailable('the world is closed');
    await this.#running;
    await this.#compacting;
    this.#adopt();
    this.#parts.disk.close();
  }

  async #run(): Promise<void> {
    for (let group = this.#group; group !== null; group = this.#group) {
      await this.#gather(group);
      this.#group = null;
      this.#writing = group.promise;
      try {
        await this.#write();
        this.#writing = null;
        this.#recovered();
        group.resolve();
      } catch (error) {
        await this.#goBack(error, group);
      }
      this.#adopt();
    }
    this.#isRunning = false;
  }

  /** Lets callers join as long as they come. */
  async #gather(group: Group): Promise<void> {
    await nextTurn();
    if (this.#parts.fsync !== 'group') return;
    const fromMs = performance.now();
    for (let joined = 0; joined < group.size && performance.now() - fromMs < GATHER_MS;) {
      joined = group.size;
      await nextTurn();
    }
  }

  async #write(): Promise<void> {
    const { disk, world, fsync } = this.#parts;
    for (let moving = world.moving(); moving !== null; moving = world.moving()) await moving;
    const now = world.now();
    const told = this.#told;
    const isReplaced = this.#isReplaced || this.#isOther;
    this.#told = noChanges();
    this.#isReplaced = false;
    this.#seen = now;
    if (isReplaced) {
      const payload = await world.encode(now);
      // Both would write the same file.
      await this.#compacting;
      await disk.replace(payload);
      this.#isOther = false;
    } else {
      const written = disk.append(writeChanges(diff(this.#saved, now, told)), fsync);
      if (written !== null) await written;
    }
    this.#saved = now;
    this.#compactWhenDue();
  }

  /** The disk has not taken what was written: nobody may be told of it. */
  async #goBack(error: unknown, group: Group): Promise<void> {
    const { world } = this.#parts;
    const unavailable = new StorageUnavailable(String(error));
    this.#trouble(error);
    try {
      await world.alone(async () => {
        await world.restore(this.#saved);
        this.#told = noChanges();
        this.#isReplaced = false;
        await world.resume(this.#saved.underWay);
        this.#seen = world.now();
        this.#end(group, unavailable);
      });
    } catch (bug) {
      this.#broken = unavailable;
      this.#end(group, unavailable);
      this.#parts.onTrouble(`the world cannot go back to what the disk holds: ${String(bug)}`);
    }
  }

  /** Everybody who waits has seen, or done, what is not there any more. */
  #end(group: Group, error: Error): void {
    this.#writing = null;
    group.reject(error);
    this.#group?.reject(error);
    this.#group = null;
  }

  #trouble(error: unknown): void {
    if (!this.#isInTrouble)
      this.#parts.onTrouble(`the data cannot be written (${String(error)}): reads go on, writes are refused`);
    this.#isInTrouble = true;
  }

  #recovered(): void {
    if (this.#isInTrouble) this.#parts.onTrouble('the data can be written again');
    this.#isInTrouble = false;
  }

  #compactWhenDue(): void {
    const { disk, compactAt } = this.#parts;
    const appendedBytes = disk.size - disk.worldBytes;
    const isLong = appendedBytes >= compactAt * Math.max(disk.worldBytes, SMALL_WORLD_BYTES);
    const isDue = isLong && disk.size >= this.#nextTryBytes;
    if (!isDue || this.#compacting !== null) return;
    this.#compacting = this.#compact(disk.beside()).finally(() => {
      this.#compacting = null;
    });
  }

  async #compact(writeBeside: (payload: Uint8Array) => Promise<NextFile>): Promise<void> {
    try {
      this.#next = await writeBeside(await this.#parts.world.encode(this.#saved));
      if (!this.#isRunning) this.#adopt();
    } catch (error) {
      this.#compactLater(error);
    }
  }

  #adopt(): void {
    const next = this.#next;
    this.#next = null;
    if (next === null) return;
    try {
      this.#parts.disk.adopt(next);
    } catch (error) {
      this.#compactLater(error);
    }
  }

  /** The file goes on growing; it is tried again when it is twice as large. */
  #compactLater(error: unknown): void {
    this.#nextTryBytes = 2 * this.#parts.disk.size;
    this.#parts.onTrouble(`the data could not be compacted (${String(error)}); it goes on growing`);
  }
}
