import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DataError } from './data-error.js';

const NAME = /^lock-(\d+)-[0-9a-f]{16}$/;

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Who holds a folder. `began` tells a process from a later one that has got its number; null where the system does not say. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly began: string | null;
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

/** Whether the process that has written a lock is still there, as far as anybody can say. */
function isHeld({ pid, host, began }: Owner): boolean {
  // Processes of another machine, or of another container, cannot be looked at from here.
  if (host !== hostname()) return true;
  if (!isAlive(pid)) return false;
  const now = beginningOf(pid);
  return began === null || now === null || began === now;
}

function ownerOf(path: string, pid: number): Owner | null {
  try {
    const { host, began } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return { pid, host: host ?? hostname(), began: began ?? null };
  } catch (error) {
    // A process that was killed while it wrote its lock, or that found the disk full, has left a part of it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { pid, host: hostname(), began: null };
  }
}

/** Whether a file of a data folder is a lock. */
export function isLock(name: string): boolean {
  return NAME.test(name);
}

/** Writes a lock. On a full disk it stays empty, which its name makes up for: a world that cannot be written can be read. */
function put(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NO_SPACE.has(code) || !existsSync(path)) throw error;
  }
}

/**
 * Takes a folder for this process; gives what lets go of it. Throws DataError when another has it, or this one, in another world.
 *
 * Each process first puts in a file of its own, then looks for those of others. Of two that come at the same time each sees at least
 * the other's, so that never both go on (it may be that neither does). The file of a process that was killed names nobody who lives, and is
 * removed; a process number that was given anew is told by when its process began.
 */
export function lockFolder(folder: string): () => void {
  const { pid } = process;
  const name = `lock-${pid}-${randomBytes(8).toString('hex')}`;
  const own = join(folder, name);
  const owner: Owner = { pid, host: hostname(), began: beginningOf(pid) };
  const release = () => rmSync(own, { force: true });
  try {
    put(own, JSON.stringify(owner));
    for (const other of readdirSync(folder)) {
      const number = NAME.exec(other)?.[1];
      if (number === undefined || other === name) continue;
      const path = join(folder, other);
      const found = ownerOf(path, Number(number));
      if (found !== null && isHeld(found)) throw inUse(folder, other, found);
      rmSync(path, { force: true });
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

function inUse(folder: string, name: string, { pid, host }: Owner): DataError {
  const isElsewhere = host !== hostname();
  const where = isElsewhere ? `process ${pid} on ${host}` : `process ${pid}`;
  const hint = isElsewhere ? `. If that one is gone, remove ${join(folder, name)}` : '; end it first';
  return new DataError('data_in_use', `the folder is in use by ${where}${hint}`);
}
