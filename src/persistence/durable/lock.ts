import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DataError } from './data-error.js';
import { isAlive } from '../../core/is-alive.js';

const require = createRequire(import.meta.url);

const NAME = /^lock-(\d+)-[0-9a-f]{16}$/;

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The functions of fs-native-extensions that are used: an OS lock on an open file, which is released when the process ends. */
interface FileLocks {
  /** False when the lock is held by another process. Throws where the file system has no locks. */
  readonly tryLock: (fd: number) => boolean;
  readonly waitForLockSync: (fd: number) => void;
}

/** The operating system's locks; null on machines that the addon is not built for. */
function fileLocks(): FileLocks | null {
  try {
    return require('fs-native-extensions') as FileLocks;
  } catch {
    return null;
  }
}

/** The holder of a folder. `began` tells a process from a later one with its pid; null where the system does not provide it. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly began: string | null;
  /** Whether the operating system locks the file for the life of its process. Missing in files of former versions. */
  readonly isLocked: boolean;
}

/** When a process started, on Linux: the boot id, and clock ticks since boot. Null when unknown. */
function beginningOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name is in parentheses and may contain anything; the 20th field after it is the start time.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
  } catch {
    return null;
  }
}

/** Whether the operating system has a file locked; null where that cannot be determined. */
function isLockedNow(path: string, locks: FileLocks | null): boolean | null {
  if (locks === null) return null;
  let fd: number | null = null;
  try {
    fd = openSync(path, 'r+');
    return !locks.tryLock(fd);
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Whether the process that wrote a lock file is still alive, judging by its pid: all that is known without OS locks. */
function seemsAlive({ pid, host, began }: Owner): boolean {
  // Processes of another machine or container are not visible from here.
  if (host !== hostname()) return true;
  if (!isAlive(pid)) return false;
  const now = beginningOf(pid);
  return began === null || now === null || began === now;
}

function ownerOf(path: string, pid: number): Owner | null {
  try {
    const { host, began, isLocked } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return { pid, host: host ?? hostname(), began: began ?? null, isLocked: isLocked === true };
  } catch (error) {
    // A partial lock file: the process was killed while it wrote it, or the disk was full.
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? null
      : { pid, host: hostname(), began: null, isLocked: false };
  }
}

/** Whether a file of a data folder is a lock file. */
export function isLock(name: string): boolean {
  return NAME.test(name);
}

/** Creates, locks and opens a file. On a full disk it stays empty: a world that cannot be written can still be read. */
function put(path: string, owner: Omit<Owner, 'isLocked'>, locks: FileLocks | null): number {
  const fd = openSync(path, 'wx+', 0o600);
  let isLocked = false;
  try {
    // Waits, since a process that checks the lock holds it for an instant.
    locks?.waitForLockSync(fd);
    isLocked = locks !== null;
  } catch {
    // A file system without locks.
  }
  try {
    writeSync(fd, JSON.stringify({ ...owner, isLocked }));
  } catch (error) {
    if (NO_SPACE.has((error as NodeJS.ErrnoException).code ?? '')) return fd;
    closeSync(fd);
    throw error;
  }
  return fd;
}

/**
 * Locks a folder for this process; returns the function that releases it. Throws DataError when another
 * process holds it, or another world of this process.
 *
 * Each process first creates and locks a file of its own, then looks for those of others. Of two that start
 * at the same time each sees at least the other's, so that never both proceed (possibly neither does). The
 * operating system releases the lock of a killed process, whatever container it was in. Where it has no
 * locks, and for files of former versions, the pid and start time of the process decide.
 */
export function lockFolder(folder: string): () => void {
  const { pid } = process;
  const locks = fileLocks();
  const name = `lock-${pid}-${randomBytes(8).toString('hex')}`;
  const own = join(folder, name);
  let fd: number | null = null;
  const release = () => {
    rmSync(own, { force: true });
    if (fd !== null) closeSync(fd);
    fd = null;
  };
  try {
    fd = put(own, { pid, host: hostname(), began: beginningOf(pid) }, locks);
    for (const other of readdirSync(folder)) {
      const number = NAME.exec(other)?.[1];
      if (number === undefined || other === name) continue;
      const path = join(folder, other);
      const isLocked = isLockedNow(path, locks);
      const found = ownerOf(path, Number(number));
      if (found === null) continue;
      const isHeld = isLocked === true || (!(found.isLocked && isLocked === false) && seemsAlive(found));
      if (isHeld) throw inUse(folder, other, found, isLocked === true);
      rmSync(path, { force: true });
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

function inUse(folder: string, name: string, { pid, host }: Owner, isSure: boolean): DataError {
  if (isSure)
    return new DataError('data_in_use', `the folder is in use by process ${pid} (on ${host}); end it first`);
  const isElsewhere = host !== hostname();
  const where = isElsewhere ? `process ${pid} on ${host}` : `process ${pid}`;
  const hint = isElsewhere ? `. If that one is gone, remove ${join(folder, name)}` : '; end it first';
  return new DataError('data_in_use', `the folder is in use by ${where}${hint}`);
}
