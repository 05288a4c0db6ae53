import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Clock, type ClockSnapshot, type TimeMode } from '../../src/world/clock.js';
import { forAll } from '../support/for-all.js';

const START = Date.UTC(2026, 0, 1);

describe('Clock', () => {
  const mode: fc.Arbitrary<TimeMode> = fc.oneof(
    fc.constant({ kind: 'frozen' as const }),
    fc.constant({ kind: 'real' as const }),
    fc.record({
      kind: fc.constant('scaled' as const),
      factor: fc.double({ min: 0.01, max: 10_000, noNaN: true }),
    }),
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constant('wall' as const), ms: fc.integer({ min: -1_000, max: 5_000 }) }),
    fc.record({ kind: fc.constant('mode' as const), mode }),
    fc.record({ kind: fc.constant('jump' as const), ms: fc.nat(10 ** 9) }),
  );

  it('returns whole milliseconds and never runs backwards, for any sequence of wall time, modes and jumps', () => {
    forAll(mode, fc.array(step, { maxLength: 40 }), (first, steps) => {
      const wall = { ms: 10 ** 6 };
      const clock = new Clock({ wall: () => wall.ms, mode: first, startMs: START + 0.7 });
      let last = clock.nowMs();
      for (const one of steps) {
        if (one.kind === 'wall') wall.ms += one.ms;
        else if (one.kind === 'mode') clock.setMode(one.mode);
        else {
          clock.jumpTo(last + one.ms);
          expect(clock.nowMs()).toBeGreaterThanOrEqual(last + one.ms);
        }
        const now = clock.nowMs();
        expect(now).toBeGreaterThanOrEqual(last);
        expect(Number.isInteger(now)).toBe(true);
        last = now;
      }
    });
  });

  it('stands still during work that is to happen at one instant, also within other such work', () => {
    const wall = { ms: 0 };
    const clock = new Clock({ wall: () => wall.ms, mode: { kind: 'real' }, startMs: START });
    const later = () => {
      wall.ms += 100;
      return clock.nowMs();
    };
    expect(clock.still(() => [later(), clock.still(later), later()])).toEqual([START, START, START]);
    expect(later()).toBe(START + 400);
  });

  it('is not moved by a jump to an instant that has passed', () => {
    for (const kind of ['frozen', 'real'] as const) {
      const clock = new Clock({ wall: () => 0, mode: { kind }, startMs: START });
      for (const atMs of [START - 1, START]) {
        clock.jumpTo(atMs);
        expect([clock.nowMs(), clock.slotMs()]).toEqual([START, 0]);
      }
    }
  });

  it('may reach the instant of a jump by itself before the jump', () => {
    let readings = 0;
    const wall = () => (readings += 1) * 2;
    const clock = new Clock({ wall, mode: { kind: 'real' }, startMs: START });
    const before = clock.nowMs();
    clock.jumpTo(before + 1);
    expect(clock.nowMs()).toBeGreaterThan(before + 1);
  });

  it("resumes from an earlier or later snapshot in that snapshot's mode", () => {
    const wall = { ms: 0 };
    const clock = new Clock({ wall: () => wall.ms, mode: { kind: 'real' }, startMs: START });
    const snapshots: ClockSnapshot[] = [clock.snapshot()];
    clock.jumpTo(START + 1_000_000);
    clock.setMode({ kind: 'scaled', factor: 10 });
    snapshots.push(clock.snapshot());
    clock.setMode({ kind: 'frozen' });
    expect(clock.nowMs()).toBe(START + 1_000_000);
    snapshots.push(clock.snapshot());
    const rates = { real: 1, scaled: 10, frozen: 0 };
    for (const snapshot of [0, 1, 2, 0].map((at) => snapshots[at] as ClockSnapshot)) {
      wall.ms += 777;
      clock.restore(snapshot);
      expect(clock.nowMs()).toBe(snapshot.nowMs);
      wall.ms += 100;
      expect(clock.nowMs()).toBe(snapshot.nowMs + 100 * rates[snapshot.mode.kind]);
    }
  });

  it('starts scaled mode at the frozen instant', () => {
    const wall = { ms: 0 };
    const clock = new Clock({ wall: () => wall.ms, mode: { kind: 'frozen' }, startMs: START });
    wall.ms += 10 ** 9;
    clock.setMode({ kind: 'scaled', factor: 0.5 });
    expect(clock.nowMs()).toBe(START);
    wall.ms += 3;
    expect([clock.nowMs() - START, clock.isFrozen(), clock.mode()]).toEqual([
      1,
      false,
      { kind: 'scaled', factor: 0.5 },
    ]);
  });
});
