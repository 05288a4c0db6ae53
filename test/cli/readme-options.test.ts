import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { here } from './here.js';

it('the README lists every option of sim start', async () => {
  const { stdout } = await here('start', '--help');
  const options = [...stdout.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);
  expect(options.length).toBeGreaterThan(20);
  const section = readFileSync('README.md', 'utf8').split('\n## `sim start`\n')[1]?.split('\n## ')[0] ?? '';
  const listed = [...section.matchAll(/^\| `--(?:no-)?([a-z-]+)`/gm)].map(([, name = '']) => name);
  expect(listed.toSorted()).toEqual(options.filter((name) => !['help', 'version'].includes(name)).toSorted());
});
