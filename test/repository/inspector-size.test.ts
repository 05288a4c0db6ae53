import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/core/package-root.js';

const MOST_BYTES = 150_000;

it('the inspector takes at most 150 kB, compressed', () => {
  const folder = join(PACKAGE_ROOT, 'dist');
  // Besides them, dist keeps the files of the build before.
  const { files } = JSON.parse(readFileSync(join(folder, '.build.json'), 'utf8')) as { files: string[] };
  const sizes = files
    .filter((name) => name.startsWith('inspector/'))
    .map((name) => gzipSync(readFileSync(join(folder, name))).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
