import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { FailureFile } from '../../../src/testing/fuzz-library.js';
import { testOf } from '../../../src/testing/fuzz/failure/as-test.js';
import { OPENING, failureWith } from './export-support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Runs the test in a written file, on the library's sources in place of what is built of them: its title, and what it throws or null. */
async function ran(file: FailureFile): Promise<readonly [title: string, thrown: string | null]> {
  const path = join(temporaryFolder(), 'found.ts');
  const library = pathToFileURL(resolve('src/testing/fuzz-library.ts')).href;
  const collecting = `
    export const tests = [];
    const test = (title, run) => tests.push({ title, run });
    const expect = (actual) => ({ toEqual: (wanted) => {
      if (JSON.stringify(actual) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(actual));
    } });`;
  const text = testOf(file)
    .replace("from 'agent-bank-sim/fuzz'", `from '${library}'`)
    .replace("import { expect, test } from 'vitest';", collecting);
  writeFileSync(path, text);
  const { tests } = (await import(path)) as { tests: [{ title: string; run: () => Promise<void> }] };
  const [{ title, run }] = tests;
  return [title, await run().then(() => null, String)];
}

it('an exported test passes when the rule holds', async () => {
  expect(await ran(failureWith(OPENING))).toEqual([expect.any(String), null]);
});

it('an exported test fails while the rule does not hold', async () => {
  const unknown = failureWith([...OPENING, { id: 99, do: 'nothing of the kind', with: {} }]);
  expect((await ran(unknown))[1]).toContain('there is no command nothing of the kind');
  const impossible = failureWith([...OPENING, { id: 99, do: 'signIn', by: 'nobody', with: {} }]);
  expect((await ran(impossible))[1]).toContain('"verdict":"FAILED"');
});

it('an exported test is named by its failure, including quotes, line breaks and template syntax', async () => {
  const kind = 'it\'s `a` "kind" ${of}\u2028 \\ thing';
  const failure = { at: 9, kind, text: 'first\nconst failure = 1; // second\u2028third' };
  const [title] = await ran(failureWith(OPENING, { failure }));
  expect(title).toBe(`${kind} (by-hand)`);
});

it('fails without the rule that found it, and says which', async () => {
  const failure = { at: 9, kind: 'account: it', text: 'it is so', rule: 'noLargeSavings' };
  const file = failureWith(OPENING, { failure });
  expect(testOf(file)).toContain('found by a custom rule, noLargeSavings: pass it to replay');
  expect((await ran(file))[1]).toContain('"verdict":"UNCHECKED"');
});
