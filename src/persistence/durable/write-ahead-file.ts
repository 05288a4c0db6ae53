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

export const DATA_FILE = 'world.data';
/** The file that replaces it once it is complete. */
export const NEXT_FILE = `${DATA_FILE}.new`;

/**
 * The file is extended by this much at a time: an fsync takes half as long when the file does not grow, since
 * its metadata does not change.
 */
const ROOM_BYTES = 256 * 1_024;
const ROOM = new Uint8Array(ROOM_BYTES);

/** A faster fsync runs on this thread: handing it over would cost more than it saves; meanwhile requests wait in the socket. */
const QUICK_MS = 1;

/** When to fsync: for all waiting callers together, for each write, or whenever the system does. */
export type Fsync = 'group' | 'always' | 'off';

/** A file beside the present one that is to replace it. */
export interface NextFile {
  readonly fd: number;
  readonly size: number;
  /** The offset in the present file from which the next one lacks the changes. */
  readonly fromBytes: number;
  /** The generation of the present file; the next file is obsolete once that has changed. */
  readonly generation: number;
}

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

/** Two changes of a folder this close together may have the same timestamp. */
const CLOCK_TICK_MS = 100;

/** Makes the names in a folder durable. Throws Node's error. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Identifies the data file in a folder; null when there is none. */
function identityOf(folder: string): string | null {
  const found = statSync(join(folder, DATA_FILE), { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}

/** A data file open for appending: it starts with a world and continues with its changes. */
export class WriteAheadFile {
  readonly #folder: string;
  readonly #head: FileHead;
  #fd: number;
  #size: number;
  #worldBytes: number;
  #number: number;
  /** The end of the file, including room for the next frames. */
  #roomEnd: number;
  #generation = 0;
  /** Whether the file's name is durable, too. */
  #isFolderSynced = true;
  #identity: string | null;
  /** The folder's version when the file was last seen in it, unless just changed; the file is there while it stays the same. */
  #folderSeen: string | null = null;
  /** Duration of the last fsync. */
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

  /** Creates the file with a world in a folder that has none. Throws Node's error. */
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

  /** Opens a file that was read, cutting a torn write from its end. Throws Node's error. */
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

  /** Bytes of the file. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of its initial world. */
  get worldBytes(): number {
    return this.#worldBytes;
  }

  /**
   * Appends changes and makes them durable: on this thread when the disk is fast, otherwise on another while the world goes on; then
   * the promise must be waited for. Throws if that fails or the file was deleted; then nothing was written.
   */
  append(payload: Uint8Array, fsync: Fsync): Promise<void> | null {
    if (fsync !== 'off') this.#syncFolder();
    const bytes = this.#frame('changes', this.#number + 1, payload);
    let fromMs: number;
    try {
      writeAll(this.#fd, bytes, this.#size);
      this.#makeRoom(this.#size + bytes.length);
      fromMs = performance.now();
      if (fsync === 'group' && this.#syncMs >= QUICK_MS) return this.#syncLater(bytes, fromMs);
      if (fsync !== 'off') fdatasyncSync(this.#fd);
      this.#checkPlace();
    } catch (error) {
      this.#cut();
      throw error;
    }
    this.#appended(bytes, fromMs);
    return null;
  }

  async #syncLater(bytes: Uint8Array, fromMs: number): Promise<void> {
    try {
      await syncLater(this.#fd);
      this.#checkPlace();
    } catch (error) {
      this.#cut();
      throw error;
    }
    this.#appended(bytes, fromMs);
  }

  /** Starts a file with the world as it is in the present one now; call the returned function with that world. */
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

  /** Replaces the present file by the next one, plus everything appended since, unless that is obsolete. */
  adopt(next: NextFile): void {
    const path = join(this.#folder, NEXT_FILE);
    if (next.generation !== this.#generation) return closeSync(next.fd);
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
    // The file is in place in any case; only after a machine failure may the previous one reappear.
    this.#isFolderSynced = false;
    try {
      this.#syncFolder();
    } catch {
      // Retried before the next write.
    }
  }

  /** Replaces the present file by one with another world. Throws Node's error, leaving the present one unchanged. */
  async replace(payload: Uint8Array): Promise<void> {
    this.#generation += 1;
    const { fd, size, generation } = await this.beside()(payload);
    this.adopt({ fd, size, fromBytes: this.#size, generation });
  }

  close(): void {
    this.#cut();
    closeSync(this.#fd);
  }

  /** Makes the name of a new file durable, unless it is. Throws Node's error. */
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
   * Throws when the file was deleted or replaced: writes to it would be lost with the process. The folder is
   * checked first, since on Linux an fsync takes half as long again after a stat of a file written since.
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

  #appended(bytes: Uint8Array, fromMs: number): void {
    this.#syncMs = performance.now() - fromMs;
    this.#size += bytes.length;
    this.#number += 1;
  }

  /** Cuts an incomplete write. If that fails, the next frame overwrites it, or the next start cuts it. */
  #cut(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
      this.#roomEnd = this.#size;
    } catch {
      // See above.
    }
  }

  /** Extends the file when frames have used up its room. On a full disk the next frame fails instead. */
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
