import type { WorldEvent } from '../control/events.js';

/** A point in the history of a world and its forks. */
export interface WorldNode {
  readonly key: string;
  readonly kind: 'start' | 'snapshot' | 'reverted' | 'imported' | 'fork' | 'now';
  /** The id of a snapshot or fork; for a revert, what it restored; empty for the start and the present. */
  readonly id: string;
  /** Null for a fork that the log does not name. */
  readonly at: string | null;
  /** The number of its timeline, from 0. A revert, an import and a fork each start a new one. */
  readonly lane: number;
  /** The key of the point that it continues; null for the first. */
  readonly parent: string | null;
}

/**
 * The snapshots and forks of a world as a tree over time, oldest first. Points whose origin the log no longer has follow its start. Forks that
 * it does not name, such as forks of other worlds, stand alone.
 */
export function worldTree(
  events: readonly WorldEvent[],
  now: string,
  forks: readonly string[] = [],
): readonly WorldNode[] {
  const nodes: WorldNode[] = [];
  const add = (node: WorldNode) => {
    nodes.push(node);
    return node;
  };
  const first = add({ key: 'start', kind: 'start', id: '', at: events[0]?.at ?? now, lane: 0, parent: null });
  const snapshots = new Map<string, WorldNode>();
  let [lane, lanes, present] = [0, 1, first];
  for (const { seq, at, what, id, from } of events) {
    const key = `${what} ${seq}`;
    if (what === 'snapshot') {
      present = add({ key, kind: 'snapshot', id, at, lane, parent: present.key });
      snapshots.set(id, present);
    } else if (what === 'reverted' || what === 'imported') {
      const parent = what === 'imported' ? first : (snapshots.get(id) ?? present);
      lane = lanes;
      lanes += 1;
      present = add({ key, kind: what, id, at, lane, parent: parent.key });
    } else if (what === 'forked') {
      const parent = (from === undefined ? undefined : snapshots.get(from)) ?? present;
      add({ key, kind: 'fork', id, at, lane: lanes, parent: parent.key });
      lanes += 1;
    }
  }
  for (const id of forks.filter((fork) => !nodes.some((node) => node.id === fork))) {
    add({ key: `fork ${id}`, kind: 'fork', id, at: null, lane: lanes, parent: null });
    lanes += 1;
  }
  add({ key: 'now', kind: 'now', id: '', at: now, lane, parent: present.key });
  return nodes;
}
