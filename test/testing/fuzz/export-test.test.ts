import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { FailureFile } from '../../../src/testing/fuzz-library.js';
import { testOf } from '../../../src/testing/fuzz/failure/as-test.js';
import { OPENING, failureWith } from './export-support.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

interface WrittenTest {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** The tests in a written file, which takes the library's sources for what is built of them. */
async function testsIn(text: string): Promise<WrittenTest[]> {
  const folder = temporaryFolder();
  const collecting = `
    const tests = [];
    const test = (title, run) => tests.push({ title, run });
    const expect = (actual) => ({ toEqual: (wanted) => {
      if (JSON.stringify(actual) !== JSON.stringify(wanted)) throw new Error(JSON.stringify(actual));
    } });
    export { tests };`;
  const path = join(folder, 'found.ts');
  const library = pathToFileURL(resolve('src/testing/fuzz-library.ts')).href;
  writeFileSync(
    path,
    text
      .replace("from 'agent-bank-sim/fuzz'", `from '${library}'`)
      .replace("import { expect, test } from 'vitest';", collecting),
  );
  return ((await import(path)) as { tests: WrittenTest[] }).tests;
}

/** What a written test throws; null when it passes. */
async function thrownBy(file: FailureFile): Promise<string | null> {
  const [test] = await testsIn(testOf(file));
  return test === undefined
    ? 'no test'
    : test.run().then(
        () => null,
        (error: unknown) => String(error),
      );
}

it('an exported test passes when the rule holds', async () => {
  expect(await thrownBy(failureWith(OPENING))).toBeNull();
});

it('an exported test fails while the rule does not hold', async () => {
  const unknown = failureWith([...OPENING, { id: 99, do: 'nothing of the kind', with: {} }]);
  expect(await thrownBy(unknown)).toContain('there is no command nothing of the kind');
  const impossible = failureWith([...OPENING, { id: 99, do: 'signIn', by: 'nobody', with: {} }]);
  expect(await thrownBy(impossible)).toContain('"verdict":"FAILED"');
});

it('an exported test is named by its failure, including quotes, line breaks and template syntax', async () => {
  const kind = 'it\'s `a` "kind" ${of}\u2028 \\ thing';
  const failure = { at: 9, kind, text: 'first\nconst failure = 1; // second\u2028third' };
  const [test] = await testsIn(testOf(failureWith(OPENING, { failure })));
  expect(test?.title).toBe(`${kind} (by-hand)`);
});

it('fails without the rule that found it, and says which', async () => {
  const failure = { at: 9, kind: 'account: it', text: 'it is so', rule: 'noLargeSavings' };
  const file = failureWith(OPENING, { failure });
  expect(testOf(file)).toContain('found by a custom rule, noLargeSavings: pass it to replay');
  expect(await thrownBy(file)).toContain('"verdict":"UNCHECKED"');
});
