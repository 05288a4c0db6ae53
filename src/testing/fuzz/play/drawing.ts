import fc from 'fast-check';

/** Step numbers to draw, up to a maximum. */
export function lengthUpTo(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: Math.ceil(most / 4), max: most });
}

const TRIES = 1_000;

/** Draws until a step is possible in the current state; null when none seems possible. */
export function untilPossible<T>(draw: () => T | null): T | null {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const drawn = draw();
    if (drawn !== null) return drawn;
  }
  return null;
}
