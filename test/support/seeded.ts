import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Draw } from '../../src/testing/fuzz/draw.js';
import { sequences } from '../../src/testing/fuzz/play/sequences.js';
import { Random } from '../../src/testing/study/random.js';

function numberOf(seed: string): number {
  return createHash('sha256').update(seed).digest().readInt32LE();
}

/** Random draws from a seed of any text: equal seeds draw alike. */
export function seeded(seed: string): Random {
  return new Random(numberOf(seed));
}

/** Draws from arbitraries of fast-check: equal seeds draw alike. */
export function drawing(seed: number | string): Draw {
  const [sequence] = fc.sample(sequences, {
    seed: typeof seed === 'number' ? seed : numberOf(seed),
    numRuns: 1,
  });
  return sequence?.draw as Draw;
}
