import { expect, it } from 'vitest';
import { commandNames, here } from './here.js';

it('sim --help lists every command once, in groups, on a screen of 24 rows and 80 columns', async () => {
  const { stdout, code } = await here('--help');
  expect(code).toBe(0);
  const rows = stdout.trimEnd().split('\n');
  expect(rows.length).toBeLessThanOrEqual(23);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
  const listed = rows
    .filter((row) => /^ {2}[a-z-]+(, [a-z-]+)*$/.test(row))
    .flatMap((row) => row.trim().split(', '));
  expect(listed.toSorted()).toEqual((await commandNames()).toSorted());
});
