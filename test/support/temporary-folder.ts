import { mkdtempSync, rmSync } from 'node:fs';
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
