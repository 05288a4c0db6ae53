import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LIMITS } from '../../src/limits.js';

it('docs/limits.md lists every limit with its default', () => {
  const rows = [...readFileSync('docs/limits.md', 'utf8').matchAll(/^\| `(\w+)`\s*\| (\d+)/gm)];
  const listed = Object.fromEntries(rows.map(([, name, standard]) => [name, Number(standard)]));
  expect(listed).toEqual(
    Object.fromEntries(Object.entries(LIMITS).map(([name, { standard }]) => [name, standard])),
  );
});
