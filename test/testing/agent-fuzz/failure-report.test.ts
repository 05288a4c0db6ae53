import { expect, it } from 'vitest';
import { reportLines } from '../../../src/testing/agent-fuzz/failure-report.js';

const end = { kind: 'reported', report: {} } as const;

it('collapses only whole lines', () => {
  const trace = ['bank: x [a]   [b]', '[b]', '[b]', 'z'].map((did) => ({ did, response: null, mishaps: [] }));
  expect(reportLines({ trace, end })).toEqual([
    '   1. bank: x [a]   [b]',
    '   2. [b]',
    '   3. [b]',
    '   4. z',
    '   5. finishes without a report',
  ]);
  const again = [...trace.slice(1, 3), ...trace.slice(1, 3), ...trace.slice(3)];
  expect(reportLines({ trace: again, end })).toEqual([
    '   1. [b]',
    '      the same 3 times more from 1. on',
    '   5. z',
    '   6. finishes without a report',
  ]);
});
