/** A task that the bank must perform at an instant, self-contained. */
export type DueTask =
  | { readonly kind: 'loan.due'; readonly loanId: string }
  | { readonly kind: 'loan.default'; readonly loanId: string }
  | { readonly kind: 'review.decide'; readonly loanId: string }
  | { readonly kind: 'withdrawal.execute'; readonly outflow: number }
  | { readonly kind: 'savings.settle' };

export interface DueItem {
  readonly atMs: number;
  /** Orders items of the same instant: the number of the entry that scheduled it. */
  readonly seq: number;
  readonly task: DueTask;
}

/** A persistent leftist heap: insertion and removal return a new heap, so a snapshot is a reference. Null is empty. */
export type DueHeap = {
  readonly item: DueItem;
  readonly rank: number;
  readonly left: DueHeap;
  readonly right: DueHeap;
} | null;

function before(a: DueItem, b: DueItem): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.seq <= b.seq);
}

function merge(a: DueHeap, b: DueHeap): DueHeap {
  if (a === null) return b;
  if (b === null) return a;
  const [top, other] = before(a.item, b.item) ? [a, b] : [b, a];
  const merged = merge(top.right, other);
  const [left, right] =
    (top.left?.rank ?? 0) >= (merged?.rank ?? 0) ? [top.left, merged] : [merged, top.left];
  return { item: top.item, rank: (right?.rank ?? 0) + 1, left, right };
}

/** The heap with `item` added; O(log n). */
export function addDue(heap: DueHeap, item: DueItem): DueHeap {
  return merge(heap, { item, rank: 1, left: null, right: null });
}

/** The heap without its earliest item; O(log n). */
export function dropDue(heap: DueHeap): DueHeap {
  return heap === null ? null : merge(heap.left, heap.right);
}

/** All due items, earliest first. */
export function dueItems(heap: DueHeap): DueItem[] {
  const items: DueItem[] = [];
  for (let rest = heap; rest !== null; rest = dropDue(rest)) items.push(rest.item);
  return items;
}
