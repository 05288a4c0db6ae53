import { createHash } from 'node:crypto';
import { Random } from '../../src/testing/fuzz/random.js';

/** Random draws from a seed of any text: equal seeds draw alike. */
export function seeded(seed: string): Random {
  return new Random(createHash('sha256').update(seed).digest().readInt32LE());
}
