import { describe, expect, it } from 'vitest';
import type { WorldEvent } from '../../../src/inspector/control/events.js';
import { worldTree } from '../../../src/inspector/text/world-tree.js';

const at = '2026-01-01T00:00:00.000Z';
const event = (seq: number, what: WorldEvent['what'], id: string, from?: string): WorldEvent => {
  const logged = { seq, at, requestId: null, kind: 'world', what, id } as const;
  return from === undefined ? logged : { ...logged, from };
};
const shape = (events: readonly WorldEvent[]) =>
  worldTree(events, at).map(({ key, parent, lane }) => `${parent ?? ''} > ${key} @${lane}`);

describe('the tree of worlds', () => {
  it('continues each point from the one before it', () => {
    expect(shape([event(1, 'snapshot', 'snapshot-1'), event(2, 'snapshot', 'snapshot-2')])).toEqual([
      ' > start @0',
      'start > snapshot 1 @0',
      'snapshot 1 > snapshot 2 @0',
      'snapshot 2 > now @0',
    ]);
  });

  it('begins another line at a revert, which continues the snapshot', () => {
    expect(
      shape([
        event(1, 'snapshot', 'snapshot-1'),
        event(2, 'snapshot', 'snapshot-2'),
        event(3, 'reverted', 'snapshot-1'),
      ]),
    ).toEqual([
      ' > start @0',
      'start > snapshot 1 @0',
      'snapshot 1 > snapshot 2 @0',
      'snapshot 1 > reverted 3 @1',
      'reverted 3 > now @1',
    ]);
  });

  it('hangs a fork on its snapshot, or on the present', () => {
    expect(
      shape([
        event(1, 'snapshot', 'snapshot-1'),
        event(2, 'snapshot', 'snapshot-2'),
        event(3, 'forked', 'fork-1', 'snapshot-1'),
        event(4, 'forked', 'fork-2'),
      ]).slice(3),
    ).toEqual(['snapshot 1 > forked 3 @1', 'snapshot 2 > forked 4 @2', 'snapshot 2 > now @0']);
  });

  it('shows forks that the log does not name on lines of their own', () => {
    const nodes = worldTree([event(1, 'forked', 'fork-1')], at, ['fork-1', 'fork-2']);
    expect(nodes.filter(({ kind }) => kind === 'fork')).toMatchObject([
      { id: 'fork-1', lane: 1, parent: 'start' },
      { id: 'fork-2', lane: 2, parent: null },
    ]);
  });

  it('continues from the present after a revert to an unknown snapshot', () => {
    expect(shape([event(9, 'reverted', 'snapshot-1')])).toEqual([
      ' > start @0',
      'start > reverted 9 @1',
      'reverted 9 > now @1',
    ]);
  });
});
