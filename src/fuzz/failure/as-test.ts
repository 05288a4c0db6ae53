import type { FailureFile } from './failure-file.js';
import { writeFailure } from './failure-file.js';

/** A counterexample as a vitest test that stands by itself. It fails until the rule holds again. */
export function testOf(file: FailureFile): string {
  const title = `${file.failure.kind} (${file.name})`.replaceAll("'", '’');
  return `import { replay } from 'agent-bank-sim/fuzz';
import { expect, test } from 'vitest';

// ${file.failure.text.replaceAll('\n', ' ')}
const failure = ${writeFailure(file).trimEnd()} as const;

test('${title}', async () => {
  expect(await replay(failure as never)).toEqual({ verdict: 'FIXED', failure: null });
});
`;
}
