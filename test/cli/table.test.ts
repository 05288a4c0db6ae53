import { expect, it } from 'vitest';
import { readable } from '../../src/cli/remote/table.js';

const WIDE = 'x'.repeat(150);
it.each([
  [{ error: { InstructionError: [0, { Custom: 1 }] } }, 'InstructionError\n  0\n  Custom 1'],
  [{ loans: [{ id: WIDE }, { id: 2 }], size: 2 }, `size  2\nloans\n  id  ${WIDE}\n\n  id  2`],
  [{ memo: 'a\nb', facts: { id: WIDE }, no: {} }, `memo  "a\\nb"\nno    none\nfacts\n  id  ${WIDE}`],
])('prints %j', (answer, text) => expect(readable(answer)).toBe(text));
