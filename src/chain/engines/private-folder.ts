import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../core/is-alive.js';

const FOLDER = 'agent-bank-sim';

/** The number of the PID namespace of this process; 0 where the system has none. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Removes an unused folder if possible: it may belong to another user, or another process may be removing it. */
function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A start does not fail for it.
  }
}

/** Removes folders of killed processes of this PID namespace; processes of others may still run. */
function discardAbandoned(namespace: string): void {
  const pattern = new RegExp(`^${FOLDER}-(\\d+)-${namespace}-`);
  for (const name of readdirSync(tmpdir())) {
    const pid = pattern.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) discard(join(tmpdir(), name));
  }
}

/** Creates a temporary folder for this process alone, which is removed at exit, or by a later process. */
export function makePrivateFolder(): string {
  const namespace = pidNamespace();
  discardAbandoned(namespace);
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}-${process.pid}-${namespace}-`));
  process.once('exit', () => {
    discard(folder);
  });
  return folder;
}
