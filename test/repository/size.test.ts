import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** At most so many lines by folder; a commit that removes code lowers its folder's line. */
const BUDGET = JSON.parse(readFileSync('test/repository/size.json', 'utf8')) as Record<string, number>;

function linesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => !path.includes('node_modules') && (!path.startsWith('test') || path.endsWith('.ts')))
    .filter((path) => statSync(path).isFile())
    .reduce((lines, path) => lines + readFileSync(path, 'utf8').split('\n').length - 1, 0);
}

it.each(Object.entries(BUDGET))('%s has at most %i lines', (folder, most) => {
  expect(linesBelow(folder)).toBeLessThanOrEqual(most);
});
