import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/core/domain/calendar.js';
import {
  type DailyWindow,
  EMPTY_WINDOW,
  addUse,
  giveBack,
  prune,
  resetsAt,
} from '../../../src/core/domain/daily-window.js';
import { forAll } from '../../support/for-all.js';

const MIDNIGHT = Date.UTC(2026, 2, 1);

function used(...uses: readonly (readonly [atMs: number, usdMicro: bigint])[]): DailyWindow {
  return uses.reduce(
    (window, [atMs, usdMicro], at) => addUse(window, { outflow: at + 1, atMs, usdMicro }),
    EMPTY_WINDOW,
  );
}

describe('daily limit over a rolling 24 hours', () => {
  it('resets exactly when the oldest counted use is 24 hours old', () => {
    const offsets = fc.array(fc.nat(2 * DAY_MS), { minLength: 1, maxLength: 10 });
    forAll(offsets, (times) => {
      const sorted = times.toSorted((a, b) => a - b);
      const nowMs = sorted.at(-1) as number;
      const window = prune(used(...sorted.map((at) => [at, 1n] as const)), 'rolling-24h', nowMs);
      const next = resetsAt(window, 'rolling-24h', nowMs);
      expect(prune(window, 'rolling-24h', next - 1).totalMicro).toBe(window.totalMicro);
      expect(prune(window, 'rolling-24h', next).totalMicro < window.totalMicro).toBe(true);
    });
  });

  it('reports a reset in 24 hours when nothing has been used', () => {
    expect(resetsAt(EMPTY_WINDOW, 'rolling-24h', MIDNIGHT)).toBe(MIDNIGHT + DAY_MS);
  });
});

it('the total of a daily window is the sum of its uses, for any sequence of uses, returns and waits', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('use' as const), n: fc.nat(1_000) }),
    fc.record({ kind: fc.constant('back' as const), n: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('wait' as const), n: fc.nat(DAY_MS) }),
  );
  const mode = fc.constantFrom('utc-day' as const, 'rolling-24h' as const);
  forAll(mode, fc.array(step, { maxLength: 60 }), (kind, steps) => {
    let [window, nowMs, outflow] = [EMPTY_WINDOW, MIDNIGHT, 0];
    for (const { kind: what, n } of steps) {
      if (what === 'wait') nowMs += n;
      else if (what === 'back') window = giveBack(window, n);
      else window = addUse(window, { outflow: (outflow += 1), atMs: nowMs, usdMicro: BigInt(n) });
      window = prune(window, kind, nowMs);
      expect(window.totalMicro).toBe(window.uses.reduce((sum, use) => sum + use.usdMicro, 0n));
    }
  });
});
