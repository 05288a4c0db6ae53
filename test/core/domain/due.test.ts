import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DueHeap, type DueItem, addDue, dropDue } from '../../../src/core/domain/due.js';

function item(atMs: number, seq: number): DueItem {
  return { atMs, seq, task: { kind: 'savings.settle' } };
}

function drain(heap: DueHeap): DueItem[] {
  const items: DueItem[] = [];
  for (let rest = heap; rest !== null; rest = dropDue(rest)) items.push(rest.item);
  return items;
}

/** The longest way down to the right: what bounds the work of a merge. */
function spine(heap: DueHeap): number {
  return heap === null ? 0 : 1 + spine(heap.right);
}

describe('due items', () => {
  it('come out by time, and at one instant in the order they were scheduled', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 200 }), (times) => {
        const items = times.map((atMs, seq) => item(atMs, seq));
        const heap = items.reduce(addDue, null as DueHeap);
        expect(drain(heap)).toEqual(items.toSorted((a, b) => a.atMs - b.atMs || a.seq - b.seq));
      }),
    );
  });

  it('come out in order while others are put in', () => {
    const step = fc.option(fc.nat(50), { nil: null, freq: 3 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
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
      }),
    );
  });

  it('stay in an old heap when a new one is made of it', () => {
    const old = [3, 1, 2].map((at) => item(at, at)).reduce(addDue, null as DueHeap);
    const before = drain(old);
    addDue(old, item(0, 9));
    dropDue(dropDue(old));
    expect(drain(old)).toEqual(before);
    expect(dropDue(null)).toBeNull();
  });

  it('are merged in logarithmic time, also when they are scheduled in order or in reverse', () => {
    for (const direction of [1, -1]) {
      let heap: DueHeap = null;
      for (let at = 0; at < 10_000; at += 1) heap = addDue(heap, item(at * direction, at));
      expect(spine(heap)).toBeLessThanOrEqual(14);
    }
  });
});
