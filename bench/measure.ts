import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';

/** What a benchmark measures in one round: a number (a rate or a time), larger or smaller being better. */
export type Sample = () => number | Promise<number>;

/** The middle value; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length - 1 - half] ?? Number.NaN, sorted[half] ?? Number.NaN];
  return (low + high) / 2;
}

/**
 * Takes samples in turn (A B, B A, A B …), so that what disturbs the machine disturbs all of them, and gives the median of
 * each. The first `warmUp` rounds are thrown away.
 */
export async function interleave<K extends string>(
  options: { readonly rounds: number; readonly warmUp: number },
  samples: Readonly<Record<K, Sample>>,
): Promise<Record<K, number>> {
  const names = Object.keys(samples) as K[];
  const taken = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = -options.warmUp; round < options.rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await samples[name]();
      if (round >= 0) taken.get(name)?.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name) ?? [])])) as Record<K, number>;
}

/** Milliseconds that `work` takes. */
export async function msOf(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** How many times a second `work` runs, called `count` times without waiting in between. */
export function rateOf(count: number, work: (at: number) => void): number {
  const from = performance.now();
  for (let at = 0; at < count; at += 1) work(at);
  return (count / (performance.now() - from)) * 1_000;
}

/** Collects garbage at once. Throws when Node was not started with --expose-gc. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('start node with --expose-gc, as npm run bench does');
  globalThis.gc();
  globalThis.gc();
}

/** An address that nobody has. */
export function randomAddress(): string {
  return bs58.encode(randomBytes(32));
}

/** Fails when what a benchmark relies on does not hold: numbers of failing operations say nothing. */
export function ensure(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`the benchmark is broken: ${what}`);
}
