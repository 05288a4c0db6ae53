import { describe, expect, it } from 'vitest';
import { type Shown, progressLine } from '../../src/cli/fuzz/progress.js';

const SHOWN: Shown = {
  property: 'everything',
  runs: 12_345,
  steps: 678_901,
  pairs: 2_666,
  goals: [44, 46],
  approaches: { 'daily withdrawals': 1, 'daily payments': 0.9999, 'collateral LTV': 2.6 },
};
const at = (columns: number, shown: Shown = SHOWN) =>
  progressLine(shown, { elapsedMs: 200_000, budgetMs: 600_000, columns });

describe('progress line of sim fuzz', () => {
  it('fits the terminal width and keeps the most important figures', () => {
    expect(at(79)).toBe('everything · 12,345 runs · 678,901 steps · 400 s left · 3,395/s · goals 44/46');
    expect(at(40)).toBe('everything · 12,345 runs · 678,901 steps');
    expect(at(8)).toBe('everyth…');
    for (let columns = 1; columns < 200; columns += 1)
      expect(at(columns).length).toBeLessThanOrEqual(columns);
  });

  it('shows all figures where there is room', () => {
    expect(at(200)).toMatch(
      / · 2,666 pairs · daily withdrawals 100\.0 % · daily payments 99\.9 % · collateral LTV 260\.0 % with interest$/,
    );
  });

  it('shows no remaining time without a time budget', () => {
    expect(progressLine(SHOWN, { elapsedMs: 0, budgetMs: null, columns: 200 })).not.toContain('left');
  });
});
