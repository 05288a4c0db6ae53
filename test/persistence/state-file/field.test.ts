import { expect, it } from 'vitest';
import { decoded, encoded, number, struct } from '../../../src/persistence/state-file/codec.js';
import { always, fields, whenChanged } from '../../../src/persistence/state-file/field.js';
import { readState } from '../../../src/persistence/state-file/file.js';
import { world } from '../../../src/persistence/state-file/world.js';
import { busyState } from './support.js';

interface Pair {
  readonly a: number;
  readonly b: number;
}

const pair = fields<Pair>({ a: always(number), b: whenChanged(number) });

/** Changes after they were written and read. */
function recorded(before: Pair, now: Pair): { readonly [name: string]: unknown } {
  const codec = struct(pair.changes);
  const changes = {};
  pair.diff(before, now, changes);
  return decoded(codec, encoded(codec, changes));
}

it('a snapshot member without a codec does not compile', () => {
  // @ts-expect-error -- b is missing
  expect(() => fields<Pair>({ a: always(number) })).not.toThrow();
  // @ts-expect-error -- c is no member
  expect(() => fields<Pair>({ a: always(number), b: always(number), c: always(number) })).not.toThrow();
});

it('changes are recorded, and applying them gives the later value', () => {
  const before = { a: 1, b: 2 };
  expect(pair.hasChanged(before, { ...before })).toBe(false);
  for (const now of [before, { a: 5, b: 2 }, { a: 1, b: 5 }, { a: 5, b: 6 }]) {
    expect(pair.hasChanged(before, now)).toBe(now !== before);
    expect(pair.apply(before, recorded(before, now))).toEqual(now);
  }
  expect(recorded(before, { a: 5, b: 2 })).toEqual({ a: 5, b: null });
});

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Each member of a value at any depth of plain objects, with the value as it is when that member is another. */
function withOthers(value: Record<string, unknown>, path: string): [string, Record<string, unknown>][] {
  return Object.entries(value).flatMap(([name, member]): [string, Record<string, unknown>][] =>
    isPlain(member)
      ? withOthers(member, `${path}${name}.`).map(([at, other]) => [at, { ...value, [name]: other }])
      : [[path + name, { ...value, [name]: {} }]],
  );
}

it('a change of any snapshot member is detected, except of those that follow others or time', async () => {
  const { snapshot } = readState(await busyState());
  expect(world.hasChanged(snapshot, { ...snapshot })).toBe(false);
  const unseen = withOthers(snapshot as never, '')
    .filter(([, other]) => !world.hasChanged(snapshot, other as never))
    .map(([path]) => path);
  expect(unseen).toEqual([
    'clock.mode.kind',
    'clock.nowMs',
    'clock.slotMs',
    // With the state.
    'bank.books.entries',
    // With the log.
    'ground.chain.history.bySignature',
    'ground.chain.history.byAddress',
    'ground.chain.history.writesByAddress',
    'ground.chain.history.writes',
    'ground.chain.history.indexedCount',
    'ground.chain.history.jumps',
    'ground.chain.accounts',
    'oracle.indices.USDC.apy',
    'oracle.indices.USDC.atMs',
    'oracle.indices.USDC.indexRay',
    'oracle.indices.USDC.passedMs',
    'oracle.indices.SOL.apy',
    'oracle.indices.SOL.atMs',
    'oracle.indices.SOL.indexRay',
    'oracle.indices.SOL.passedMs',
  ]);
});
