import { describe, expect, it } from 'vitest';
import { jsonReporter } from '../../../../src/testing/scenario/reporters/reporters.js';
import { reported, scenario, step, suite } from './sample.js';

describe('JSON reporter', () => {
  // `test/golden` has the lines of the plan, of each scenario and of the end.
  it('escapes line separators and writes bigints as strings', () => {
    const args = { text: 'a\nb\u2028c', lamports: 12345678901234567890n };
    const of = suite({ results: [scenario({ steps: [step({ args })] })] });
    const lines = reported(jsonReporter, of).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.at(-1)).toBe('');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      steps: [{ args: { text: 'a\nb\u2028c', lamports: '12345678901234567890' } }],
    });
  });
});
