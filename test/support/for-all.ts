import fc from 'fast-check';

/** Arbitraries, and what must hold of every draw from them. */
type Property<Drawn extends [unknown, ...unknown[]], Held = boolean | void> = [
  ...arbitraries: { [At in keyof Drawn]: fc.Arbitrary<Drawn[At]> },
  holds: (...drawn: Drawn) => Held,
];

/** Draws a hundred times, and reports the smallest draw for which the property does not hold. */
export function forAll<Drawn extends [unknown, ...unknown[]]>(...property: Property<Drawn>): void {
  fc.assert(fc.property(...property));
}

/** The same with another number of draws. */
export function forAllOf<Drawn extends [unknown, ...unknown[]]>(
  draws: number,
  ...property: Property<Drawn>
): void {
  fc.assert(fc.property(...property), { numRuns: draws });
}

/** The same with a property that is a promise. */
export async function forAllAsync<Drawn extends [unknown, ...unknown[]]>(
  draws: number,
  ...property: Property<Drawn, Promise<boolean | void>>
): Promise<void> {
  await fc.assert(fc.asyncProperty(...property), { numRuns: draws });
}
