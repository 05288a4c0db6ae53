import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../core/is-alive.js';
import { DataError } from './data-error.js';

const require = createRequire(import.meta.url);

const NAME = /^lock-(\d+)-[0-9a-f]{16}$/;

/** The functions of fs-native-extensions in use. Both throw where the file system has no locks. */
interface FileLocks {
  /** False when another process holds the lock. */
  readonly tryLock: (fd: number) => boolean;
  readonly waitForLockSync: (fd: number) => void;
}

/** Locks an open file for the life of this process; waits, since a process that checks the lock holds it for an instant. False where there are no locks. */
function lock(fd: number): boolean {
  try {
    (require('fs-native-extensions') as FileLocks).waitForLockSync(fd);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process has the file locked; null where that cannot be determined. */
function isLocked(path: string): boolean | null {
  try {
    const fd = openSync(path, 'r+');
    try {
      return !(require('fs-native-extensions') as FileLocks).tryLock(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** The process in a lock file; of this host when the process was killed while writing, or the disk was full. */
function ownerIn(path: string): { readonly host: string; readonly hasLock: boolean } {
  try {
    const { host, isLocked: hasLock } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    return { host: String(host), hasLock: hasLock === true };
  } catch {
    return { host: hostname(), hasLock: false };
  }
}

export function isLock(name: string): boolean {
  return NAME.test(name);
}

/** Removes a lock file that no process holds. Throws DataError when a process holds it. */
function removeUnheld(folder: string, name: string): void {
  const path = join(folder, name);
  const pid = Number(NAME.exec(name)?.[1]);
  const isHeld = isLocked(path);
  if (!existsSync(path)) return;
  const { host, hasLock } = ownerIn(path);
  // Without a lock of the system, all that is known is whether a process of this machine has that pid.
  const mayRun = !hasLock && (host !== hostname() || (isHeld === null && isAlive(pid)));
  if (isHeld !== true && !mayRun) return rmSync(path, { force: true });
  const remedy = isHeld === true ? 'stop it first' : `if that process is gone, remove ${path}`;
  throw new DataError('data_in_use', `the folder is in use by process ${pid} on ${host}; ${remedy}`);
}

/**
 * Locks a folder for this process; returns the function that releases it. Throws DataError when another
 * process holds it, or another world of this process.
 *
 * Each process first creates and locks a file of its own, then looks for the files of others. Of two that start
 * at the same time each sees at least the other's, so that never both proceed (possibly neither does). The
 * operating system releases the lock of a killed process, whatever container it was in.
 */
export function lockFolder(folder: string): () => void {
  const name = `lock-${process.pid}-${randomBytes(8).toString('hex')}`;
  const own = join(folder, name);
  const fd = openSync(own, 'wx+', 0o600);
  let isReleased = false;
  const release = () => {
    // Otherwise it would close another file that has the same descriptor by now.
    if (isReleased) return;
    isReleased = true;
    rmSync(own, { force: true });
    closeSync(fd);
  };
  try {
    const text = JSON.stringify({ host: hostname(), isLocked: lock(fd) });
    try {
      writeSync(fd, text);
    } catch {
      // A world on a full disk can still be read.
    }
    for (const other of readdirSync(folder)) if (isLock(other) && other !== name) removeUnheld(folder, other);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}
