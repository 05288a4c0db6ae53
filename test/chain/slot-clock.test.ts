import { expect, it } from 'vitest';
import { type ChainClock, SlotClock } from '../../src/chain/slot-clock.js';
import { SLOT_MS } from '../../src/chain/slots.js';

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
