import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/core/package-root.js';

const MOST_BYTES = 150_000;

it('the inspector takes at most 150 kB, compressed', () => {
  const folder = join(PACKAGE_ROOT, 'dist', 'inspector');
  const files = ['index.html', ...readdirSync(join(folder, 'assets')).map((name) => join('assets', name))];
  const sizes = files.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
