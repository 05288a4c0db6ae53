import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DataError } from './data-error.js';

const require = createRequire(import.meta.url);

const NAME = /^lock-(\d+)-[0-9a-f]{16}$/;

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The functions of fs-native-extensions that are used: a lock of the system on an open file, which ends with the process. */
interface FileLocks {
  /** False when another holds it. Throws where the file system has no locks. */
  readonly tryLock: (fd: number) => boolean;
  readonly waitForLockSync: (fd: number) => void;
}

/** The locks of the operating system; null on machines that the addon is not built for. */
function fileLocks(): FileLocks | null {
  try {
    return require('fs-native-extensions') as FileLocks;
  } catch {
    return null;
  }
}

/** Who holds a folder. `began` tells a process from a later one that has got its number; null where the system does not say. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly began: string | null;
  /** Whether the file is locked by the operating system as long as its process lives. Files of former versions do not say it. */
  readonly isLocked: boolean;
}

/** When a process began, on Linux: this start of the machine, and clock ticks since then. Null when nobody can say. */
function beginningOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in brackets and may hold anything; the 20th field after it is the beginning.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Whether the operating system has a file locked; null where it cannot be asked. */
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

/** Whether the process that has written a lock is still there, by its number: all that can be known where the system holds no lock. */
function seemsAlive({ pid, host, began }: Owner): boolean {
  // Processes of another machine, or of another container, cannot be looked at from here.
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
    // A process that was killed while it wrote its lock, or that found the disk full, has left a part of it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? null
      : { pid, host: hostname(), began: null, isLocked: false };
  }
}

/** Whether a file of a data folder is a lock. */
export function isLock(name: string): boolean {
  return NAME.test(name);
}

/** Makes a file and locks it; gives what is held open. On a full disk it stays empty: a world that cannot be written can be read. */
function put(path: string, owner: Omit<Owner, 'isLocked'>, locks: FileLocks | null): number {
  const fd = openSync(path, 'wx+', 0o600);
  let isLocked = false;
  try {
    // Whoever looks whether it is locked locks it for that instant.
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
 * Takes a folder for this process; gives what lets go of it. Throws DataError when another has it, or this one, in another world.
 *
 * Each process first puts in a file of its own and locks it, then looks for those of others. Of two that come at the same time each sees
 * at least the other's, so that never both go on (it may be that neither does). The operating system lets go of the lock of a process
 * that was killed, whatever container it was in. Where it has no locks, and for files of former versions, the number of the process
 * decides, and when it began.
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
