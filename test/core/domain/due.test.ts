import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueHeap, type DueItem, addDue, dropDue } from '../../../src/core/domain/due.js';
import { forAll } from '../../support/for-all.js';

function item(atMs: number, seq: number): DueItem {
  return { atMs, seq, task: { kind: 'savings.settle' } };
}

/** Length of the right spine, which bounds the cost of a merge. */
function spine(heap: DueHeap): number {
  return heap === null ? 0 : 1 + spine(heap.right);
}

describe('due items', () => {
  it('stay ordered while items are added and removed', () => {
    const step = fc.option(fc.nat(50), { nil: null, freq: 3 });
    forAll(fc.array(step, { maxLength: 100 }), (steps) => {
      let [heap, model] = [null as DueHeap, [] as DueItem[]];
      for (const [seq, atMs] of steps.entries()) {
        if (atMs === null) {
          model = model.slice(1);
          heap = dropDue(heap);
        } else {
          model = [...model, item(atMs, seq)].toSorted((a, b) => a.atMs - b.atMs || a.seq - b.seq);
          heap = addDue(heap, item(atMs, seq));
        }
        expect(heap?.item).toEqual(model[0]);
      }
    });
  });

  it('keep the right spine logarithmic when scheduled in order or in reverse', () => {
    for (const direction of [1, -1]) {
      let heap: DueHeap = null;
      for (let at = 0; at < 10_000; at += 1) heap = addDue(heap, item(at * direction, at));
      expect(spine(heap)).toBeLessThanOrEqual(14);
    }
  });
});
