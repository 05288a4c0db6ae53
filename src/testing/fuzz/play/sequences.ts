import fc from 'fast-check';
import { type Draw, liveDraw } from '../draw.js';
import { type Step, stepText } from '../step.js';
import { type Failure, plainKind } from './sequence.js';
import { type Cursor, shrinks } from './shrinks.js';

/**
 * A sequence of steps, as the value of a fast-check property: drawn while it is played, since what is worth drawing depends on what came
 * before, or given by an example or by shrinking.
 */
export class Sequence {
  /** Draws its steps; null when they are given. */
  readonly draw: Draw | null;
  /** The kind of failure that it may have, if it was made of a failing one: others would lead away from it. */
  readonly kind: string | null;
  /** The steps that are to be played; none when they are drawn. */
  readonly given: readonly Step[];
  /** Those that were played, with the opening, or that are given. */
  steps: readonly Step[];
  failure: Failure | null = null;

  constructor(steps: readonly Step[], draw: Draw | null, kind: string | null = null) {
    this.given = steps;
    this.steps = steps;
    this.draw = draw;
    this.kind = kind;
  }

  /** How it was played; what comes after the failure is cut off. */
  played(steps: readonly Step[], failure: Failure | null): void {
    this.steps = failure === null ? steps : steps.slice(0, failure.at + 1);
    this.failure = failure;
  }

  /** Whether its failure is of the wanted kind. */
  get hasFailed(): boolean {
    return this.failure !== null && (this.kind === null || plainKind(this.failure.kind) === this.kind);
  }

  /** What fast-check prints of a counterexample. */
  [fc.toStringMethod](): string {
    return ['', ...this.steps.map(stepText), ''].join('\n');
  }
}

/** Sequences to be played. A failing one shrinks to ones with fewer steps, and to simpler numbers: fast-check can delete no steps of a state. */
class Sequences extends fc.Arbitrary<Sequence> {
  generate(random: fc.Random, bias: number | undefined): fc.Value<Sequence> {
    return new fc.Value(new Sequence([], liveDraw(random, bias)), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Sequence {
    return value instanceof Sequence;
  }

  shrink({ steps, failure }: Sequence, cursor?: unknown): fc.Stream<fc.Value<Sequence>> {
    if (failure === null) return fc.Stream.nil();
    const kind = plainKind(failure.kind);
    return fc
      .stream(shrinks(steps, failure.at, cursor as Cursor | undefined))
      .map(([simpler, next]) => new fc.Value(new Sequence(simpler, null, kind), next));
  }
}

export const sequences: fc.Arbitrary<Sequence> = new Sequences();
