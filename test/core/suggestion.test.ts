import { expect, it } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { refusedValue, suggestion } from '../../src/core/suggestion.js';

it('suggests a similar name, and none that is too different', () => {
  expect(suggestion('strat', ['start', 'run'])).toBe('; did you mean start?');
  expect(suggestion('banana', ['start', 'run'])).toBe('');
});

it('truncates a long value in the message without searching suggestions for it', () => {
  const long = 'start'.repeat(20_000);
  // The quickest of five: any one of them may be interrupted.
  const tookMs = Array.from({ length: 5 }, () => {
    const from = performance.now();
    expect(refusedValue('engine', long, ['start'])).toHaveLength(
      'engine: cannot be '.length + 60 + '….'.length,
    );
    return performance.now() - from;
  });
  expect(Math.min(...tookMs)).toBeLessThan(50);
});

it('reports a value that cannot be converted to text', async () => {
  const engine = { toString: 1 } as never;
  await expect(createSimulator({ engine })).rejects.toThrow('engine: cannot be { toString: 1 }.');
});
