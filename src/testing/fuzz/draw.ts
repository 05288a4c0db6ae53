import fc from 'fast-check';

/** Draws a value with fast-check's random numbers and bias for the run. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** Values that a function composes from draws. They do not shrink. */
class Composed<T> extends fc.Arbitrary<T> {
  readonly #compose: (draw: Draw) => T;

  constructor(compose: (draw: Draw) => T) {
    super();
    this.#compose = compose;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<T> {
    return new fc.Value(
      this.#compose((arbitrary) => arbitrary.generate(random, bias).value),
      undefined,
    );
  }

  canShrinkWithoutContext(_value: unknown): _value is T {
    return false;
  }

  shrink(): fc.Stream<fc.Value<T>> {
    return fc.Stream.nil();
  }
}

/**
 * An arbitrary that a function composes from others, instead of nested `chain` and `map`: `composed((draw) => [draw(fc.nat()),
 * draw(fc.nat())])`.
 */
export function composed<T>(compose: (draw: Draw) => T): fc.Arbitrary<T> {
  return new Composed(compose);
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
