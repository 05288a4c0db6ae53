import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ChainClock, SlotClock } from '../../src/chain/slot-clock.js';
import { SLOT_MS } from '../../src/chain/slots.js';
import { Clock, type TimeMode } from '../../src/world/clock.js';
import { forAll } from '../support/for-all.js';

function clockAt(ms: number, isFrozen = false): ChainClock {
  return { nowMs: () => ms, slotMs: () => ms, isFrozen: () => isFrozen };
}

it('a slot begins by itself when the clock has run that long, and never while it is frozen', () => {
  const depths = { confirmed: 0, finalized: 0 };
  const running = new SlotClock(clockAt(2.25 * SLOT_MS), depths);
  expect([2, 3, 4].map((slot) => running.msUntil(slot))).toEqual([0, 0.75 * SLOT_MS, 1.75 * SLOT_MS]);
  running.extra.value = 3;
  expect([5, 6].map((slot) => running.msUntil(slot))).toEqual([0, 0.75 * SLOT_MS]);
  expect(new SlotClock(clockAt(0, true), depths).msUntil(1)).toBe(Infinity);
});

it('the first transaction of a running world takes as many slots to be confirmed as a later one', () => {
  const slots = new SlotClock(clockAt(0), { confirmed: 2, finalized: 2 });
  slots.passed(slots.next());
  expect(slots.current()).toBeGreaterThan(slots.at('confirmed'));
});

it('knows the slot at a past instant and the instant of a past slot, for any sequence of wall time and modes', () => {
  const mode: fc.Arbitrary<TimeMode> = fc.oneof(
    fc.constant({ kind: 'frozen' as const }),
    fc.constant({ kind: 'real' as const }),
    fc.record({
      kind: fc.constant('scaled' as const),
      factor: fc.double({ min: 1, max: 10_000, noNaN: true }),
    }),
  );
  const step = fc.record({ mode, passMs: fc.nat(100_000) });
  forAll(fc.nat(10 ** 6), fc.array(step, { maxLength: 20 }), (jumpMs, steps) => {
    const wall = { ms: 0 };
    const clock = new Clock({ wall: () => wall.ms, mode: { kind: 'frozen' }, startMs: 0 });
    const slots = new SlotClock(clock, { confirmed: 0, finalized: 0 });
    clock.jumpTo(jumpMs);
    const seen = [{ ms: clock.nowMs(), slot: slots.current() }];
    for (const { mode: next, passMs } of steps) {
      clock.setMode(next);
      wall.ms += passMs;
      seen.push({ ms: clock.nowMs(), slot: slots.current() });
    }
    for (const { ms, slot } of seen) {
      expect(Math.abs(slots.atInstant(ms) - slot)).toBeLessThanOrEqual(1);
      expect(slots.beginsMs(slot)).toBeLessThanOrEqual(ms);
    }
    // A jump passes the slots of its time.
    const next = slots.current() + 150;
    clock.setMode({ kind: 'frozen' });
    clock.jumpTo(slots.beginsMs(next));
    expect(slots.current()).toBe(next);
  });
});
