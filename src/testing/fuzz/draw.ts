import fc from 'fast-check';

/** Draws a value with fast-check's random numbers and bias for the run. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** Values from a function, with the simpler values of each, the simplest first; without these, they do not shrink. */
export class Generated<T> extends fc.Arbitrary<T> {
  readonly #generate: (random: fc.Random, bias: number | undefined) => T;
  readonly #simpler: (value: T) => readonly T[];

  constructor(
    generate: (random: fc.Random, bias: number | undefined) => T,
    simpler: (value: T) => readonly T[] = () => [],
  ) {
    super();
    this.#generate = generate;
    this.#simpler = simpler;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    return new fc.Value(this.#generate(random, bias), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is T {
    return this.#simpler(value as T).length > 0;
  }

  shrink(value: T): fc.Stream<fc.Value<T>> {
    const values = this.#simpler(value).map((each) => new fc.Value(each, undefined));
    return fc.stream(values.values());
  }
}

/**
 * An arbitrary that a function composes from others, instead of nested `chain` and `map`: `composed((draw) => [draw(fc.nat()),
 * draw(fc.nat())])`.
 */
export function composed<T>(compose: (draw: Draw) => T): fc.Arbitrary<T> {
  return new Generated((random, bias) => compose((arbitrary) => arbitrary.generate(random, bias).value));
}

/** A draw function for use after generation, when draws depend on the effects of earlier values. */
export function liveDraw(random: fc.Random, bias: number | undefined): Draw {
  const own = random.clone();
  return (arbitrary) => arbitrary.generate(own, bias).value;
}

/** Resolution of percentages and weights. */
const PARTS = 1_000;

export function chance(percent: number): fc.Arbitrary<boolean> {
  return weighted([
    [true, percent],
    [false, 100 - percent],
  ]);
}

/**
 * One of several values with a probability proportional to its weight, rounded to thousandths. Throws RangeError when all weights are 0.
 */
export function weighted<T>(values: readonly (readonly [value: T, weight: number])[]): fc.Arbitrary<T> {
  const possible = values.filter(([, weight]) => weight > 0);
  if (possible.length === 0) throw new RangeError('all weights are 0');
  return fc.oneof(
    ...possible.map(([value, weight]) => ({
      weight: Math.max(1, Math.round(weight * PARTS)),
      arbitrary: fc.constant(value),
    })),
  );
}

/** Neutral values for parameters that `fc.configureGlobal` may have set, so that a campaign depends on its value alone. */
export const UNCONFIGURED: Pick<fc.Parameters, 'unbiased'> = {
  asyncReporter: undefined,
  endOnFailure: false,
  examples: [],
  ignoreEqualValues: false,
  interruptAfterTimeLimit: undefined,
  markInterruptAsFailure: false,
  path: '',
  plugins: [],
  randomType: 'xorshift128plus',
  reporter: undefined,
  skipAllAfterTimeLimit: undefined,
  skipEqualValues: false,
  timeout: undefined,
  unbiased: false,
  verbose: 0,
} as object;
