import { expect, it } from 'vitest';
import { generatedPages, withGenerated } from '../../scripts/reference/page.js';
import { here } from '../cli/here.js';
import { textOf } from '../support/markdown.js';

it.each(generatedPages())('%s is what npm run reference writes', async (page) => {
  expect(textOf(page)).toBe(await withGenerated(textOf(page)));
});

it('help of sim start has an example command line', async () => {
  const { stdout } = await here('start', '--help');
  expect(stdout).toMatch(/Examples:\n +sim start --time frozen/);
});
