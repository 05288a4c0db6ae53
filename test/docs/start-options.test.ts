import { expect, it } from 'vitest';
import { here } from '../cli/here.js';
import { textOf } from '../support/markdown.js';

/** The options in the first column of the table in docs/reference/configuration.md. */
function listed(): string[] {
  return [...textOf('docs/reference/configuration.md').matchAll(/^\| `--(?:no-)?([a-z-]+)`/gm)].map(
    ([, name = '']) => name,
  );
}

it('docs/reference/configuration.md lists every option of sim start exactly once', async () => {
  const { stdout } = await here('start', '--help');
  const options = [...stdout.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name = '']) => name);
  expect(options.length).toBeGreaterThan(20);
  const own = options.filter((name) => !['help', 'version'].includes(name));
  expect(listed().toSorted()).toEqual(own.toSorted());
});

it('help of sim start has an example command line', async () => {
  const { stdout } = await here('start', '--help');
  expect(stdout).toMatch(/Examples:\n +sim start --time frozen/);
});
