import { expect, it } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { refusedValue, suggestion } from '../../src/core/suggestion.js';

it('suggests a name that is a slip away, and none that is further', () => {
  expect(suggestion('strat', ['start', 'run'])).toBe('; did you mean start?');
  expect(suggestion('banana', ['start', 'run'])).toBe('');
});

it('shows a bounded part of a value, and looks for no name that is like a long one', () => {
  const long = 'start'.repeat(20_000);
  const from = performance.now();
  expect(refusedValue('engine', long, ['start'])).toHaveLength(
    'engine: cannot be '.length + 60 + '….'.length,
  );
  expect(performance.now() - from).toBeLessThan(50);
});

it('refuses a value that cannot become text as any other', async () => {
  const engine = { toString: 1 } as never;
  await expect(createSimulator({ engine })).rejects.toThrow('engine: cannot be { toString: 1 }.');
});
