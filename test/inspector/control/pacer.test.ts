import { describe, expect, it } from 'vitest';
import { Pacer } from '../../../src/inspector/control/pacer.js';

/** Work that ends when it is let, and how often it has begun. */
function work() {
  const ends: (() => void)[] = [];
  const begin = () => new Promise<void>((resolve) => ends.push(resolve));
  return { begin, ends };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe('what is read again', () => {
  it('is read one after the other, with a rest between', async () => {
    const rests: (() => void)[] = [];
    const pacer = new Pacer(() => new Promise<void>((resolve) => rests.push(resolve)));
    const { begin, ends } = work();
    const first = pacer.run(begin);
    void pacer.run(begin);
    await turns();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await turns();
    expect([ends.length, rests.length]).toEqual([1, 1]);
    rests[0]?.();
    await turns();
    expect(ends).toHaveLength(2);
  });

  it('goes on after a failure, and rests the longer the longer it took', async () => {
    const rests: number[] = [];
    const pacer = new Pacer((ms) => {
      rests.push(ms);
      return Promise.resolve();
    });
    await expect(pacer.run(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    await pacer.run(() => {
      const untilMs = performance.now() + 20;
      while (performance.now() < untilMs);
      return Promise.resolve();
    });
    await turns();
    expect(rests[1]).toBeGreaterThanOrEqual(200);
    expect(rests[0]).toBeLessThan(rests[1] ?? 0);
  });
});
