import { describe, expect, it } from 'vitest';
import { ProgressMeter, type ProgressReport, progressLine } from '../../src/cli/progress.js';

const REPORT: ProgressReport = {
  unit: 'runs',
  done: 12_345,
  total: 20_000,
  work: { unit: 'steps', done: 678_901 },
  found: 2,
  coverage: { unit: 'pairs', count: 2_666 },
  more: ['goals 44/46', 'collateral LTV 260.0 % with interest'],
};
const line = (report: Partial<ProgressReport>, columns: number) =>
  progressLine({ ...REPORT, ...report }, { secondsLeft: 432, workRate: 3_395, columns });

/** A meter whose clock shows the given seconds. */
function meterAt(budgetMs: number | null = null) {
  const clock = { seconds: 100 };
  const meter = new ProgressMeter(budgetMs, () => clock.seconds * 1_000);
  return (seconds: number, report: Partial<ProgressReport>) => {
    clock.seconds = 100 + seconds;
    return meter.measure({ ...REPORT, ...report });
  };
}

describe('progress line', () => {
  it('shows how much is done, rate, time left, findings and coverage on 80 columns', () => {
    expect(line({ foundAs: 'failed' }, 79)).toContain(' · 2 failed · ');
    expect(line({}, 79)).toBe('12,345 of 20,000 runs · 3,395 steps/s · 432 s left · 2 found · 2,666 pairs');
    expect(
      progressLine(
        { ...REPORT, done: 1_234_567, total: 1e9, found: 12, coverage: { unit: 'pairs', count: 12_345 } },
        { secondsLeft: 100_000, workRate: 3_395, columns: 79 },
      ),
    ).toBe('1.23M of 1B runs · 3,395 steps/s · 27 h 47 min left · 12 found · 12,345 pairs');
  });

  it('leaves out the least important parts on a narrow terminal', () => {
    expect(line({}, 200)).toMatch(/ · 2,666 pairs · goals 44\/46 · collateral LTV 260\.0 % with interest$/);
    expect(line({}, 40)).toBe('12,345 of 20,000 runs · 3,395 steps/s');
    expect(line({}, 8)).toBe('12,345 …');
    for (let columns = 1; columns < 200; columns += 1)
      expect(line({}, columns).length).toBeLessThanOrEqual(columns);
  });

  it('shows no time left where there is no end', () => {
    expect(progressLine({ ...REPORT, total: null }, { secondsLeft: null, workRate: 0.5, columns: 60 })).toBe(
      '12,345 runs · 0.5 steps/s · 2 found · 2,666 pairs',
    );
  });
});

describe('progress', () => {
  it('counts what this command has done, not what an earlier one has', () => {
    const measured = meterAt();
    expect(measured(0, { done: 1_000, total: 2_000 }).figures).toMatchObject({ rate: 0, secondsLeft: null });
    expect(measured(10, { done: 1_100, total: 2_000 }).figures).toEqual({
      unit: 'runs',
      done: 1_100,
      total: 2_000,
      rate: 10,
      found: 2,
      coverage: 2_666,
      secondsLeft: 90,
    });
  });

  it('has the rate of the last minute, since workers come and go', () => {
    const measured = meterAt();
    for (let second = 0; second <= 100; second += 10) measured(second, { done: 0 });
    for (let second = 110; second <= 160; second += 10) measured(second, { done: (second - 100) * 5 });
    expect(measured(160, { done: 300, total: 600 }).figures).toMatchObject({ rate: 5, secondsLeft: 60 });
  });

  it('ends with the time budget, if that is earlier', () => {
    const measured = meterAt(30_000);
    measured(0, { done: 0, total: 100 });
    expect(measured(10, { done: 10, total: 100 }).figures.secondsLeft).toBe(20);
    expect(measured(20, { done: 99, total: 100 }).figures.secondsLeft).toBe(1);
    expect(measured(40, { done: 99, total: null }).figures.secondsLeft).toBe(0);
  });

  it('has no time left while nothing moves, and does not count a long wait for workers', () => {
    const measured = meterAt();
    measured(0, { done: 5, total: 100 });
    expect(measured(10, { done: 5, total: 100 }).figures).toMatchObject({ rate: 0, secondsLeft: null });
    expect(measured(7_200, { done: 6, total: 100 }).figures).toMatchObject({ rate: 0, secondsLeft: null });
    expect(measured(7_300, { done: 16, total: 100 }).figures).toMatchObject({ rate: 0.1, secondsLeft: 840 });
  });
});
