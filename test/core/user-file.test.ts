import { spawnSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readUserFile, readUserText } from '../../src/core/user-file.js';
import { temporaryFile, temporaryFolder } from '../support/temporary-folder.js';

function errorMessageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
}

describe('a file of a user', () => {
  it('is read and its byte order mark left out', () => {
    expect(readUserText(temporaryFile('\uFEFF{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('is refused when it is not a regular file, with its name and a code', () => {
    const at = temporaryFolder();
    const pipe = join(at, 'pipe');
    expect(spawnSync('bash', ['-c', 'mkfifo "$0"', pipe]).status).toBe(0);
    const refusals = [at, pipe, '/dev/zero', join(at, 'none')].map((path) =>
      errorMessageOf(() => readUserText(path)),
    );
    expect(refusals).toEqual([
      `${at} cannot be read (EISDIR)`,
      `${pipe} cannot be read (EINVAL: it is not a regular file)`,
      '/dev/zero cannot be read (EINVAL: it is not a regular file)',
      `${join(at, 'none')} cannot be read (ENOENT)`,
    ]);
  });

  it('is refused when it has more bytes than the limit, and read when it has as many', () => {
    const path = temporaryFile(Buffer.alloc(1_000, 'x'));
    expect(readUserFile(path, 1_000)).toHaveLength(1_000);
    expect(errorMessageOf(() => readUserFile(path, 999))).toBe(
      `${path} cannot be read (EFBIG: it has more than 999 bytes)`,
    );
    truncateSync(path, 2 ** 40);
    expect(errorMessageOf(() => readUserFile(path, 2 ** 31))).toMatch(/EFBIG/);
  });

  it('is read to its end though it says that it has no bytes', () => {
    expect(readUserFile('/proc/self/status', 10_000).length).toBeGreaterThan(100);
  });
});
