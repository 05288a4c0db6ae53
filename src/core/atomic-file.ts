import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const PLAIN_MODE = 0o644;

/** Writes a file atomically: a reader sees either the new content or the old. Throws Node's error. */
export function writeAtomically(path: string, content: string | Uint8Array, mode = PLAIN_MODE): void {
  const part = `${path}.${process.pid}.part`;
  try {
    const file = openSync(part, 'w', mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
