import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';

/** One measurement of a benchmark: a rate or a time. */
export type Sample = () => number | Promise<number>;

/** The median; for an even count, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length - 1 - half] ?? Number.NaN, sorted[half] ?? Number.NaN];
  return (low + high) / 2;
}

/**
 * Takes samples in alternating order (A B, B A, A B …), so that a disturbance affects all of them, and returns the median of each. The
 * first `warmUp` rounds are discarded.
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

/** How many times per second `work` runs, over `count` consecutive calls. */
export function rateOf(count: number, work: (at: number) => void): number {
  const from = performance.now();
  for (let at = 0; at < count; at += 1) work(at);
  return (count / (performance.now() - from)) * 1_000;
}

/** Collects garbage immediately. Throws unless Node was started with --expose-gc. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('start node with --expose-gc, as npm run bench does');
  globalThis.gc();
  globalThis.gc();
}

/** A random address. */
export function randomAddress(): string {
  return bs58.encode(randomBytes(32));
}

/** Throws when a precondition of a benchmark does not hold: figures of failing operations are meaningless. */
export function ensure(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`the benchmark is broken: ${what}`);
}
