import { type FailureFile, writeFailure } from './failure-file.js';

/** JSON as source code, with line separators escaped. */
function asSource(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** A counterexample as a self-contained vitest test, which fails until the rule holds again. */
export function testOf(file: FailureFile): string {
  const title = asSource(JSON.stringify(`${file.failure.kind} (${file.name})`));
  const inLine = (text: string) => text.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
  const { rule } = file.failure;
  const needs =
    rule !== undefined
      ? `\n// It was found by a custom rule, ${inLine(rule)}: pass it to replay(failure, { rules: [rule] }).`
      : file.ownModel === true
        ? '\n// It was found by a custom model: pass it to replay(failure, { makeModel }).'
        : '';
  return `import { type FailureFile, replay } from 'agent-bank-sim/fuzz';
import { expect, test } from 'vitest';

// ${inLine(file.failure.text)}${needs}
const failure: FailureFile = ${asSource(writeFailure(file)).trimEnd()};

test(${title}, async () => {
  expect(await replay(failure)).toEqual({ verdict: 'FIXED', failure: null });
});
`;
}
