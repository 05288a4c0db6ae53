import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A new empty folder, removed when the running test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sim-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new empty folder, removed after all tests of the suite that calls this. */
export function suiteFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sim-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A new file in a folder of its own, removed when the running test has finished. */
export function temporaryFile(content: string | Uint8Array, name = 'file'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}
