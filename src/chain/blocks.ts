import type { List } from 'immutable';
import { firstWhere } from '../core/bisect.js';

/** The first block after slots without a block, which a jump of time has skipped. */
export interface BlockAfterJump {
  readonly slot: number;
  /** The number of earlier slots, from slot 0 on, without a block. */
  readonly skipped: number;
}

/** The blocks of a chain: every slot has one, except slots that time has jumped over. */
export type BlocksAfterJumps = List<BlockAfterJump>;

/** The height of the block in a slot, or of the last block before a slot without one. Slot 0 has the block of height 0. */
export function heightIn(jumps: BlocksAfterJumps, slot: number): number {
  const next = firstWhere(jumps.size, (at) => (jumps.get(at) as BlockAfterJump).slot > slot);
  const height = slot - skippedBefore(jumps, next);
  const after = jumps.get(next);
  return after === undefined ? height : Math.min(height, after.slot - after.skipped - 1);
}

export function slotOfHeight(jumps: BlocksAfterJumps, height: number): number {
  const next = firstWhere(jumps.size, (at) => {
    const { slot, skipped } = jumps.get(at) as BlockAfterJump;
    return slot - skipped > height;
  });
  return height + skippedBefore(jumps, next);
}

function skippedBefore(jumps: BlocksAfterJumps, next: number): number {
  return next === 0 ? 0 : (jumps.get(next - 1) as BlockAfterJump).skipped;
}
