import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Words that test names do not use: a plain term says more, such as reports, injects, verifies, snapshot, instant or requested. */
const RETIRED_IN_TITLES =
  /\b(?:told|tells?|struck|strikes?|judge[sd]?|somebody|nobody|(?<!byte order )marks?|moments?|hears?|asked|had|kept|something|whatever|should|correctly)\b/i;

/** The title of a test or suite, also behind a table of `each`. */
const TITLE = /^\s*(?:(?:describe|it|test)\b.*?\(|\](?: as const)?\)\()\s*(['"`])((?:\\.|(?!\1).)*)\1,/gm;

it('test names contain no retired word', () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('node_modules'),
  );
  const titles = files.flatMap((path) =>
    [...readFileSync(join(TESTS, path), 'utf8').matchAll(TITLE)].map(([, , title = '']) => ({ path, title })),
  );
  expect(titles.length).toBeGreaterThan(1_700);
  expect(titles.filter(({ title }) => RETIRED_IN_TITLES.test(title))).toEqual([]);
});
