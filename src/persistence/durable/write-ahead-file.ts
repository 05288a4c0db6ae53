import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DataConfig } from '../../runtime/config.js';
import { type FileHead, type Frame, type ReadFile, frameBytes } from './frames.js';

const syncLater = promisify(fdatasync);

export const DATA_FILE = 'world.data';
/** The file that replaces it once it is complete. */
export const NEXT_FILE = `${DATA_FILE}.new`;

interface OpenFile {
  readonly fd: number;
  readonly size: number;
  readonly worldBytes: number;
  readonly number: number;
}

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

/** Puts a file with a world and no changes in place of the present one, if any. Throws Node's error, leaving the present one unchanged. */
function putInPlace(folder: string, head: FileHead, world: Omit<Frame, 'kind'>): OpenFile {
  const bytes = Buffer.concat([head.bytes, frameBytes(head, { kind: 'world', ...world })]);
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
  return { fd, size: bytes.length, worldBytes: bytes.length, number: world.number };
}

/** A data file open for appending: it starts with a world and continues with its changes. */
export class WriteAheadFile {
  readonly #folder: string;
  readonly #head: FileHead;
  #file: OpenFile;
  /** Whether the file's name is durable, too. */
  #isFolderSynced = true;

  private constructor(folder: string, head: FileHead, file: OpenFile) {
    this.#folder = folder;
    this.#head = head;
    this.#file = file;
  }

  /** Creates the file with a world in a folder that has none. Throws Node's error, leaving no file. */
  static create(folder: string, head: FileHead, payload: Uint8Array): WriteAheadFile {
    const file = putInPlace(folder, head, { number: 1, payload });
    try {
      syncFolder(folder);
    } catch (error) {
      closeSync(file.fd);
      rmSync(join(folder, DATA_FILE), { force: true });
      throw error;
    }
    return new WriteAheadFile(folder, head, file);
  }

  /** Opens a file that was read, cutting an incomplete write from its end. Throws Node's error. */
  static open(folder: string, { head, frames, wholeBytes: size }: ReadFile): WriteAheadFile {
    const path = join(folder, DATA_FILE);
    // Not synced: after a machine failure the next start cuts it again.
    truncateSync(path, size);
    const worldBytes = head.bytes.length + frames[0].payload.length;
    const { number } = frames.at(-1) as Frame;
    return new WriteAheadFile(folder, head, { fd: openSync(path, 'r+'), size, worldBytes, number });
  }

  /** Bytes of the file, and of the world at its start. */
  get sizes(): Pick<OpenFile, 'size' | 'worldBytes'> {
    return this.#file;
  }

  /** Appends changes and makes them durable. Rejects if that fails or the file was deleted; then nothing was written. */
  async append(payload: Uint8Array, fsync: DataConfig['fsync']): Promise<void> {
    const { fd, size } = this.#file;
    const number = this.#file.number + 1;
    const bytes = frameBytes(this.#head, { kind: 'changes', number, payload });
    try {
      if (fsync !== 'off') this.#syncFolder();
      writeAll(fd, bytes, size);
      if (fsync === 'group') await syncLater(fd);
      if (fsync === 'always') fdatasyncSync(fd);
      this.#checkPlace();
    } catch (error) {
      try {
        ftruncateSync(fd, size);
      } catch {
        // The next frame overwrites the incomplete one, or the next start cuts it.
      }
      throw error;
    }
    this.#file = { ...this.#file, size: size + bytes.length, number };
  }

  /** Replaces the file by one with this world and no changes. Rejects with Node's error, leaving the file unchanged. */
  async replace(payload: Uint8Array): Promise<void> {
    const { fd, number } = this.#file;
    this.#file = putInPlace(this.#folder, this.#head, { number, payload });
    closeSync(fd);
    // The file is in place in any case; only after a machine failure may the previous one reappear.
    this.#isFolderSynced = false;
    try {
      this.#syncFolder();
    } catch {
      // Retried before the next write.
    }
  }

  close(): void {
    closeSync(this.#file.fd);
  }

  /** Makes the name of a new file durable, unless it already is. Throws Node's error. */
  #syncFolder(): void {
    if (this.#isFolderSynced) return;
    syncFolder(this.#folder);
    this.#isFolderSynced = true;
  }

  /** Throws when the file was deleted or replaced: writes to it would be lost with the process. */
  #checkPlace(): void {
    const path = join(this.#folder, DATA_FILE);
    const own = fstatSync(this.#file.fd);
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.ino !== own.ino || there.dev !== own.dev)
      throw new Error(`${path} was deleted or replaced while it was in use`);
  }
}
