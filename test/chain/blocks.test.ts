import { List } from 'immutable';
import { describe, expect, it } from 'vitest';
import { heightIn, slotOfHeight } from '../../src/chain/blocks.js';

describe('blocks of a chain', () => {
  // Slots 4 to 8, and 11, have none.
  const jumps = List([
    { slot: 9, skipped: 5 },
    { slot: 12, skipped: 6 },
  ]);
  const SLOTS = [0, 1, 2, 3, 9, 10, 12, 13];

  it('have the slots that no jump has passed', () => {
    expect(SLOTS.map((_, height) => slotOfHeight(jumps, height))).toEqual(SLOTS);
    expect(SLOTS.map((slot) => heightIn(jumps, slot))).toEqual(SLOTS.map((_, height) => height));
    expect([heightIn(List(), 7), slotOfHeight(List(), 7)]).toEqual([7, 7]);
  });

  it('have the height of the block before in a slot without one', () => {
    expect([4, 8, 11].map((slot) => heightIn(jumps, slot))).toEqual([3, 3, 5]);
  });
});
