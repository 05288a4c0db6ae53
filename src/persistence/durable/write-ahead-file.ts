import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FileHead, type FrameKind, type ReadFile, frameBytes } from './frames.js';

const writeLater = promisify(write);
const syncLater = promisify(fdatasync);

/** The file of a data folder. */
export const DATA_FILE = 'world.data';
/** What is to take its place, until it is whole. */
export const NEXT_FILE = `${DATA_FILE}.new`;

/**
 * The file is made larger by so much at a time: bringing bytes to a disk takes half as long where the file does not grow by them, since
 * nothing about the file changes.
 */
const ROOM_BYTES = 256 * 1_024;
const ROOM = new Uint8Array(ROOM_BYTES);

/** Below this, a wait that is handed to another thread costs more than it saves: whoever comes meanwhile waits in the socket. */
const QUICK_MS = 1;

/** When what was written is brought to the disk itself: for all who wait together, for each by itself, or by the system some time. */
export type Fsync = 'group' | 'always' | 'off';

/** A file beside the present one that is to take its place. */
export interface NextFile {
  readonly fd: number;
  readonly size: number;
  /** Where in the present file goes on what the next one holds. */
  readonly fromBytes: number;
  /** Of the present file; another one that has taken its place since then makes this one worthless. */
  readonly generation: number;
}

/** What a `DataFile` does for those who keep a world in it. */
export interface WriteAheadLog {
  /** Bytes of the file, and of the world that it begins with. */
  readonly size: number;
  readonly worldBytes: number;
  /** Writes changes at the end. Gives a promise when the disk has to be waited for. Throws Node's error, or one for a file that was deleted; then nothing was written. */
  append(payload: Uint8Array, fsync: Fsync): Promise<void> | null;
  /** Begins a file that holds the world as the present one has it up to now; call what it gives with that world. */
  beside(): (payload: Uint8Array) => Promise<NextFile>;
  /** Puts a file in the place of the present one, with everything that was appended since; false when it came too late. */
  adopt(next: NextFile): boolean;
  /** Puts a file with another world in the place of the present one. Throws Node's error; then the present one is as it was. */
  replace(payload: Uint8Array): Promise<void>;
  close(): void;
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

/** A change of a folder may bear the same time as another one that came so shortly before. */
const CLOCK_TICK_MS = 100;

/** Brings the names in a folder to the disk. Throws Node's error. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Tells the file of a folder from any other; null when there is none. */
function identityOf(folder: string): string | null {
  const found = statSync(join(folder, DATA_FILE), { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}

/** A data file that is open at its end. */
export class WriteAheadFile implements WriteAheadLog {
  readonly #folder: string;
  readonly #head: FileHead;
  #fd: number;
  #size: number;
  #worldBytes: number;
  #number: number;
  /** Where the file ends, with the room for frames to come. */
  #roomEnd: number;
  #generation = 0;
  /** Whether the name of the file is on the disk, too. */
  #isFolderSynced = true;
  /** Which file the name leads to. */
  #identity: string | null;
  /** The folder when the file was last seen in it, unless it had changed just then; as long as it does not change, the file is there. */
  #folderSeen: string | null = null;
  /** How long the disk took last. */
  #syncMs = Infinity;

  private constructor(
    folder: string,
    head: FileHead,
    open: { fd: number; size: number; worldBytes: number; number: number },
  ) {
    this.#folder = folder;
    this.#head = head;
    this.#fd = open.fd;
    this.#size = open.size;
    this.#worldBytes = open.worldBytes;
    this.#number = open.number;
    this.#roomEnd = open.size;
    this.#identity = identityOf(folder);
  }

  /** Puts a file with a world into a folder that has none. Throws Node's error. */
  static create(folder: string, head: FileHead, payload: Uint8Array): WriteAheadFile {
    const frame = frameBytes(head, { kind: 'world', number: 1, payload });
    const size = head.bytes.length + frame.length;
    const path = join(folder, NEXT_FILE);
    const fd = openSync(path, 'w+', 0o600);
    try {
      writeAll(fd, Buffer.concat([head.bytes, frame]), 0);
      fdatasyncSync(fd);
      renameSync(path, join(folder, DATA_FILE));
      syncFolder(folder);
    } catch (error) {
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    return new WriteAheadFile(folder, head, { fd, size, worldBytes: size, number: 1 });
  }

  /** Goes on with a file that was read; what was torn at its end is cut. Throws Node's error. */
  static open(folder: string, { head, frames, wholeBytes, tornBytes }: ReadFile): WriteAheadFile {
    const fd = openSync(join(folder, DATA_FILE), 'r+');
    ftruncateSync(fd, wholeBytes);
    if (tornBytes > 0) fdatasyncSync(fd);
    const worldBytes = head.bytes.length + (frames[0]?.payload.length ?? 0);
    return new WriteAheadFile(folder, head, {
      fd,
      size: wholeBytes,
      worldBytes,
      number: frames.at(-1)?.number ?? 1,
    });
  }

  get size(): number {
    return this.#size;
  }

  get worldBytes(): number {
    return this.#worldBytes;
  }

  append(payload: Uint8Array, fsync: Fsync): Promise<void> | null {
    if (fsync !== 'off') this.#syncFolder();
    const bytes = this.#frame('changes', this.#number + 1, payload);
    try {
      writeAll(this.#fd, bytes, this.#size);
      this.#makeRoom(this.#size + bytes.length);
      if (fsync === 'always') fdatasyncSync(this.#fd);
      if (fsync !== 'group') this.#checkPlace();
    } catch (error) {
      this.#cut();
      throw error;
    }
    if (fsync !== 'group') {
      this.#appended(bytes);
      return null;
    }
    return this.#sync(bytes);
  }

  /** Brings the last frame to the disk: here when the disk is quick, else on another thread, while the world goes on. */
  #sync(bytes: Uint8Array): Promise<void> | null {
    const fromMs = performance.now();
    if (this.#syncMs < QUICK_MS) {
      try {
        fdatasyncSync(this.#fd);
        this.#checkPlace();
      } catch (error) {
        this.#cut();
        throw error;
      }
      this.#syncMs = performance.now() - fromMs;
      this.#appended(bytes);
      return null;
    }
    return this.#syncLater(bytes, fromMs);
  }

  async #syncLater(bytes: Uint8Array, fromMs: number): Promise<void> {
    try {
      await syncLater(this.#fd);
      this.#checkPlace();
    } catch (error) {
      this.#cut();
      throw error;
    }
    this.#syncMs = performance.now() - fromMs;
    this.#appended(bytes);
  }

  beside(): (payload: Uint8Array) => Promise<NextFile> {
    const [fromBytes, number, generation] = [this.#size, this.#number, this.#generation];
    return async (payload) => {
      const path = join(this.#folder, NEXT_FILE);
      const bytes = Buffer.concat([this.#head.bytes, this.#frame('world', number, payload)]);
      const fd = openSync(path, 'w+', 0o600);
      try {
        for (let done = 0; done < bytes.length;)
          done += (await writeLater(fd, bytes, done, bytes.length - done, done)).bytesWritten;
        await syncLater(fd);
      } catch (error) {
        closeSync(fd);
        rmSync(path, { force: true });
        throw error;
      }
      return { fd, size: bytes.length, fromBytes, generation };
    };
  }

  adopt(next: NextFile): boolean {
    const path = join(this.#folder, NEXT_FILE);
    if (next.generation !== this.#generation) {
      closeSync(next.fd);
      return false;
    }
    try {
      const tail = this.#read(next.fromBytes, this.#size);
      writeAll(next.fd, tail, next.size);
      fdatasyncSync(next.fd);
      renameSync(path, join(this.#folder, DATA_FILE));
    } catch (error) {
      closeSync(next.fd);
      rmSync(path, { force: true });
      throw error;
    }
    this.#became(next.fd, next.size, next.size + this.#size - next.fromBytes);
    // It is in its place, whatever happens now; only a machine that fails may show the one before.
    this.#isFolderSynced = false;
    try {
      this.#syncFolder();
    } catch {
      // It is tried again before anything else is written.
    }
    return true;
  }

  async replace(payload: Uint8Array): Promise<void> {
    this.#generation += 1;
    const { fd, size, generation } = await this.beside()(payload);
    this.adopt({ fd, size, fromBytes: this.#size, generation });
  }

  close(): void {
    this.#cut();
    closeSync(this.#fd);
  }

  /** Brings the name of a new file to the disk, if that is still to be done. Throws Node's error. */
  #syncFolder(): void {
    if (this.#isFolderSynced) return;
    syncFolder(this.#folder);
    this.#isFolderSynced = true;
  }

  #became(fd: number, worldBytes: number, size: number): void {
    closeSync(this.#fd);
    this.#fd = fd;
    this.#worldBytes = worldBytes;
    this.#size = size;
    this.#roomEnd = size;
    this.#identity = identityOf(this.#folder);
    this.#generation += 1;
  }

  /**
   * Fails when the file was deleted or replaced: what is written to it then ends with the process. The folder is looked at first, since
   * Linux takes half as long again to sync a file whose times were asked for since it was written to.
   */
  #checkPlace(): void {
    const folder = statSync(this.#folder, { throwIfNoEntry: false });
    const seen = folder === undefined ? null : `${folder.dev}/${folder.ino}/${folder.ctimeMs}`;
    if (seen !== null && seen === this.#folderSeen) return;
    if (this.#identity === null || identityOf(this.#folder) !== this.#identity)
      throw new Error(`${join(this.#folder, DATA_FILE)} was deleted or replaced while it was in use`);
    this.#folderSeen = folder !== undefined && Date.now() - folder.ctimeMs > CLOCK_TICK_MS ? seen : null;
  }

  #frame(kind: FrameKind, number: number, payload: Uint8Array): Buffer {
    return frameBytes(this.#head, { kind, number, payload });
  }

  #appended(bytes: Uint8Array): void {
    this.#size += bytes.length;
    this.#number += 1;
  }

  /** Takes away what was not written to its end. Should that fail, the next frame is written over it, or the next start cuts it. */
  #cut(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
      this.#roomEnd = this.#size;
    } catch {
      // Said above.
    }
  }

  /** Makes the file larger when frames have used its room up. A disk that has none is found out by a frame. */
  #makeRoom(end: number): void {
    if (end <= this.#roomEnd) return;
    try {
      writeAll(this.#fd, ROOM, end);
      this.#roomEnd = end + ROOM_BYTES;
    } catch {
      ftruncateSync(this.#fd, end);
      this.#roomEnd = end;
    }
  }

  #read(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, from + done);
      if (read === 0) throw new Error('the data file is shorter than what was written to it');
      done += read;
    }
    return bytes;
  }
}
