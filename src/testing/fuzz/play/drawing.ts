import fc from 'fast-check';

/** Numbers of steps that are worth drawing, up to a maximum. */
export function lengthUpTo(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: Math.ceil(most / 4), max: most });
}

const TRIES = 1_000;

/** Draws until something is possible now; null when nothing seems to be. */
export function untilPossible<T>(draw: () => T | null): T | null {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const drawn = draw();
    if (drawn !== null) return drawn;
  }
  return null;
}
