import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadWriteLock } from '../../src/runtime/read-write-lock.js';

const lockOf = () => new ReadWriteLock(() => setImmediate());

it('waiting shared work runs before the next exclusive work in the queue', async () => {
  const lock = lockOf();
  const done: string[] = [];
  const exclusive = (name: string) =>
    lock.runExclusive(async () => {
      await setImmediate();
      done.push(name);
    });
  const first = exclusive('exclusive 1');
  const queue = ['exclusive 2', 'exclusive 3'].map(exclusive);
  const shared = lock.runShared(() => done.push('shared'));
  await Promise.all([first, ...queue, shared]);
  expect(done).toEqual(['exclusive 1', 'shared', 'exclusive 2', 'exclusive 3']);
});

it('exclusive work runs alone, in the order of its calls', async () => {
  const lock = lockOf();
  const done: number[] = [];
  let running = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const isShared = at % 3 === 0;
      const work = async () => {
        running += 1;
        await setImmediate();
        if (!isShared) {
          expect(running).toBe(1);
          done.push(at);
        }
        running -= 1;
      };
      await (isShared ? lock.runShared(work) : lock.runExclusive(work));
    }),
  );
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done).toHaveLength(13);
});

it('a stream of shared work does not delay exclusive work', async () => {
  const lock = lockOf();
  const until = { isOver: false };
  let shared = 0;
  const stream = (async () => {
    while (!until.isOver) {
      await lock.runShared(() => setImmediate());
      shared += 1;
    }
  })();
  for (let at = 0; at < 5; at += 1) await lock.runExclusive(async () => undefined);
  until.isOver = true;
  await stream;
  expect(shared).toBeLessThan(20);
});

it('a second exclusive work in one event loop turn lets other input in first', async () => {
  const lock = lockOf();
  const done: string[] = [];
  await lock.runExclusive(async () => done.push('exclusive 1'));
  const input = setImmediate().then(() => done.push('input'));
  const exclusive = lock.runExclusive(async () => done.push('exclusive 2'));
  await lock.runShared(() => undefined);
  await Promise.all([input, exclusive]);
  expect(done).toEqual(['exclusive 1', 'input', 'exclusive 2']);
});
