import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type FileHead, type Frame, type ReadFile, frameBytes } from './frames.js';

const syncLater = promisify(fdatasync);

export const DATA_FILE = 'world.data';
/** The file that replaces it once it is complete. */
export const NEXT_FILE = `${DATA_FILE}.new`;

/** When to fsync: for all waiting callers together, for each write, or whenever the system does. */
export type Fsync = 'group' | 'always' | 'off';

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

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

/** Puts a complete file in place of the present one, if any; returns its descriptor. Throws Node's error, leaving the present one unchanged. */
function putInPlace(folder: string, bytes: Uint8Array): number {
  const path = join(folder, NEXT_FILE);
  const fd = openSync(path, 'w+', 0o600);
  try {
    writeAll(fd, bytes, 0);
    fdatasyncSync(fd);
    renameSync(path, join(folder, DATA_FILE));
  } catch (error) {
    closeSync(fd);
    rmSync(path, { force: true });
    throw error;
  }
  return fd;
}

/** The bytes of a file that holds a world and no changes. */
function fileBytes(head: FileHead, number: number, payload: Uint8Array): Buffer {
  return Buffer.concat([head.bytes, frameBytes(head, { kind: 'world', number, payload })]);
}

/** A data file open for appending: it starts with a world and continues with its changes. */
export class WriteAheadFile {
  readonly #folder: string;
  readonly #head: FileHead;
  #fd: number;
  #size: number;
  #worldBytes: number;
  /** The number of the last frame. */
  #number: number;
  #identity: string | null;
  /** Whether the file's name is durable, too. */
  #isFolderSynced = true;

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
    this.#identity = identityOf(folder);
  }

  /** Creates the file with a world in a folder that has none. Throws Node's error. */
  static create(folder: string, head: FileHead, payload: Uint8Array): WriteAheadFile {
    const bytes = fileBytes(head, 1, payload);
    const fd = putInPlace(folder, bytes);
    syncFolder(folder);
    return new WriteAheadFile(folder, head, { fd, size: bytes.length, worldBytes: bytes.length, number: 1 });
  }

  /** Opens a file that was read, cutting a torn write from its end. Throws Node's error. */
  static open(folder: string, { head, frames, wholeBytes, tornBytes }: ReadFile): WriteAheadFile {
    const fd = openSync(join(folder, DATA_FILE), 'r+');
    ftruncateSync(fd, wholeBytes);
    if (tornBytes > 0) fdatasyncSync(fd);
    const [first, last] = [frames[0] as Frame, frames.at(-1) as Frame];
    const worldBytes = head.bytes.length + first.payload.length;
    return new WriteAheadFile(folder, head, { fd, size: wholeBytes, worldBytes, number: last.number });
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of its initial world. */
  get worldBytes(): number {
    return this.#worldBytes;
  }

  /** Appends changes and makes them durable. Rejects if that fails or the file was deleted; then nothing was written. */
  async append(payload: Uint8Array, fsync: Fsync): Promise<void> {
    const bytes = frameBytes(this.#head, { kind: 'changes', number: this.#number + 1, payload });
    try {
      if (fsync !== 'off') this.#syncFolder();
      writeAll(this.#fd, bytes, this.#size);
      if (fsync === 'group') await syncLater(this.#fd);
      if (fsync === 'always') fdatasyncSync(this.#fd);
      this.#checkPlace();
    } catch (error) {
      this.#cut();
      throw error;
    }
    this.#size += bytes.length;
    this.#number += 1;
  }

  /** Replaces the file by one with this world and no changes. Rejects with Node's error, leaving the file unchanged. */
  async replace(payload: Uint8Array): Promise<void> {
    const bytes = fileBytes(this.#head, this.#number, payload);
    const fd = putInPlace(this.#folder, bytes);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#size = bytes.length;
    this.#worldBytes = bytes.length;
    this.#identity = identityOf(this.#folder);
    // The file is in place in any case; only after a machine failure may the previous one reappear.
    this.#isFolderSynced = false;
    try {
      this.#syncFolder();
    } catch {
      // Retried before the next write.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Makes the name of a new file durable, unless it is. Throws Node's error. */
  #syncFolder(): void {
    if (this.#isFolderSynced) return;
    syncFolder(this.#folder);
    this.#isFolderSynced = true;
  }

  /** Throws when the file was deleted or replaced: writes to it would be lost with the process. */
  #checkPlace(): void {
    if (this.#identity === null || identityOf(this.#folder) !== this.#identity)
      throw new Error(`${join(this.#folder, DATA_FILE)} was deleted or replaced while it was in use`);
  }

  /** Cuts an incomplete write. If that fails, the next frame overwrites it, or the next start cuts it. */
  #cut(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch {
      // See above.
    }
  }
}
