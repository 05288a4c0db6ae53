import { expect, it } from 'vitest';
import { generatedPages, withGenerated } from '../../scripts/reference/page.js';
import { commandNames } from '../cli/here.js';
import { textOf } from '../support/markdown.js';

it.each(generatedPages())('%s is what npm run reference writes', async (page) => {
  expect(textOf(page)).toBe(await withGenerated(textOf(page)));
});

it('docs/reference/commands.md describes every command', async () => {
  const names = await commandNames();
  expect(names.length).toBeGreaterThan(30);
  expect(
    names.filter((name) => !new RegExp(`sim ${name}\\b`).test(textOf('docs/reference/commands.md'))),
  ).toEqual([]);
});
