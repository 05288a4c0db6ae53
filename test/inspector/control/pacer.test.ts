import { afterEach, describe, expect, it, vi } from 'vitest';
import { Pacer } from '../../../src/inspector/control/pacer.js';

/** A clock that only moves by hand, and by timers, which it passes over unless `isStill`. */
class Clock {
  ms = 0;
  readonly waits: number[] = [];

  constructor({ isStill = false } = {}) {
    vi.stubGlobal('performance', { now: () => this.ms });
    const wait = (done: () => void, ms: number) => {
      this.waits.push(ms);
      this.ms += ms;
      done();
    };
    vi.stubGlobal('setTimeout', isStill ? () => undefined : wait);
  }

  /** Work of so many milliseconds. */
  takes(ms: number): () => Promise<void> {
    return () => {
      this.ms += ms;
      return Promise.resolve();
    };
  }
}

const paced = (options = {}) => ({ clock: new Clock(options), pacer: new Pacer() });
const turns = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => vi.unstubAllGlobals());

describe('what is read again', () => {
  it('is read without a rest when the world has been replaced, and rested for later', async () => {
    const { clock, pacer } = paced();
    await pacer.run(clock.takes(59));
    pacer.hurry();
    for (let at = 0; at < 4; at += 1) await pacer.run(clock.takes(100));
    expect(clock.waits).toEqual([]);
    clock.ms += 1_000;
    await pacer.run(clock.takes(100));
    await pacer.run(clock.takes(0));
    expect(clock.waits[0]).toBeGreaterThan(9_000);
  });

  it('is read at once when the world is replaced during a rest', async () => {
    const { clock, pacer: resting } = paced({ isStill: true });
    await resting.run(clock.takes(200));
    const next = resting.run(clock.takes(1));
    await turns();
    resting.hurry();
    await next;
    expect(clock.ms).toBe(201);
  });

  it('is read one after the other', async () => {
    const { pacer } = paced();
    const ends: (() => void)[] = [];
    const begin = () => new Promise<void>((resolve) => ends.push(resolve));
    const first = pacer.run(begin);
    void pacer.run(begin);
    await turns();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await first;
    await turns();
    expect(ends).toHaveLength(2);
  });

  it('is read without a rest when little was read before', async () => {
    const { clock, pacer } = paced();
    for (let round = 0; round < 5; round += 1) {
      for (let at = 0; at < 8; at += 1) await pacer.run(clock.takes(5));
      clock.ms += 2_000;
    }
    expect(clock.waits).toEqual([]);
  });

  it('takes a twenty-fifth of the time in the long run, however long it takes', async () => {
    for (const ms of [1, 20, 300]) {
      const { clock, pacer } = paced();
      for (let at = 0; at < 1_000; at += 1) await pacer.run(clock.takes(ms));
      await turns();
      expect((1_000 * ms) / clock.ms).toBeGreaterThan(0.039);
      expect((1_000 * ms - 60) / clock.ms).toBeLessThanOrEqual(0.040_001);
    }
  });

  it('goes on after a failure, which is paid for as well', async () => {
    const { clock, pacer } = paced();
    const work = clock.takes(100);
    const failing = () => work().then(() => Promise.reject(new Error('gone')));
    await expect(pacer.run(failing)).rejects.toThrow('gone');
    await pacer.run(clock.takes(1));
    expect(clock.waits[0]).toBeCloseTo(1_000);
  });
});
