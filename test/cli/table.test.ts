import { expect, it } from 'vitest';
import { readable } from '../../src/cli/remote/table.js';

const WIDE = 'x'.repeat(150);

it.each([
  [{ error: { InstructionError: [0, { Custom: 1 }] } }, 'InstructionError\n  0\n  Custom 1'],
  [{ loans: [{ id: 1, due: null }], next: '7' }, 'id  due\n1   -\nmore: --cursor 7'],
  [{ loans: [{ id: WIDE }, { id: 2 }], size: 2 }, `size  2\nloans\n  id  ${WIDE}\n\n  id  2`],
  [{ n: 1, facts: { id: WIDE } }, `n  1\nfacts\n  id  ${WIDE}`],
  [{ memo: 'a\nstatus  ok' }, 'memo  "a\\nstatus  ok"'],
  [{ loans: [], terms: {} }, 'loans  none\nterms  none'],
])('prints %j', (answer, text) => {
  expect(readable(answer)).toBe(text);
});
