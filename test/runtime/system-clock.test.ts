import { expect, it } from 'vitest';
import { systemClock } from '../../src/runtime/system-clock.js';

it('the clock follows a system time that is set forward, and continues when it is set back', () => {
  let [dateMs, steadyMs] = [1_000_000, 50.25];
  const now = systemClock(
    () => dateMs,
    () => steadyMs,
  );
  const pass = (ms: number) => {
    dateMs += ms;
    steadyMs += ms;
  };
  expect(now()).toBe(1_000_000);
  pass(10);
  expect(now()).toBe(1_000_010);
  dateMs -= 86_400_000;
  pass(10);
  expect(now()).toBe(1_000_020);
  dateMs += 86_400_000;
  pass(10);
  expect(now()).toBe(1_000_030);
  dateMs += 8 * 3_600_000;
  pass(10);
  expect(now()).toBe(1_000_040 + 8 * 3_600_000);
});
