import type { Deviation } from '../model/difference.js';
import { type Step, stepText } from '../step.js';
import type { ChangeRule, Played, Rule } from './model-runner.js';
import fc from 'fast-check';
import { type Draw, liveDraw } from '../draw.js';
import { type Cursor, shrinks } from './shrinks.js';

export interface Failure {
  /** Index in the sequence, from 0. */
  readonly at: number;
  /** Equal for failures of one kind: the command and the deviation, without numbers. */
  readonly kind: string;
  /** Description with expected and actual values. */
  readonly text: string;
  /** The name of the custom rule that the sequence broke. */
  readonly rule?: string;
}

/** A failure's kind without the overlap, so that shrinking can remove an overlap that is not needed. */
export function plainKind(kind: string): string {
  return kind.replace(/^overlap: /, '');
}

/** The name of a custom rule, or its position in the list. */
export function ruleName({ name = '' }: Rule | ChangeRule, at: number): string {
  return name === '' ? `rule ${at + 1}` : name;
}

/** A played step, and how it breaks a rule; null for each if it does not. */
export interface StepResult {
  readonly played: Played;
  readonly broken: Deviation | null;
  readonly failure: Failure | null;
}

/** Called after each step. */
export type AfterStep = (step: Step, result: StepResult) => void;

/** A sequence that breaks a rule. */
export interface Failing {
  readonly steps: readonly Step[];
  readonly failure: Failure;
}

/**
 * A sequence of steps, the value of a fast-check property. Its steps are drawn while it is played, since they depend on earlier results, or
 * come from an example or from shrinking.
 */
export class Sequence {
  /** Draws its steps; null when they are fixed. */
  readonly draw: Draw | null;
  /** The expected kind of failure, if it was derived from a failing sequence: shrinking must not move to other kinds. */
  readonly kind: string | null;
  /** The steps to play; empty when they are drawn. */
  readonly given: readonly Step[];
  /** The fixed steps, or the steps played so far, with the opening. */
  steps: readonly Step[];
  failure: Failure | null = null;

  constructor(steps: readonly Step[], draw: Draw | null, kind: string | null = null) {
    this.given = steps;
    this.steps = steps;
    this.draw = draw;
    this.kind = kind;
  }

  /** Its result when played; steps after the failure are removed. */
  played(steps: readonly Step[], failure: Failure | null): void {
    this.steps = failure === null ? steps : steps.slice(0, failure.at + 1);
    this.failure = failure;
  }

  /** Whether its failure has the expected kind. */
  get hasFailed(): boolean {
    return this.failure !== null && (this.kind === null || plainKind(this.failure.kind) === this.kind);
  }

  /** The text that fast-check prints for a counterexample. */
  [fc.toStringMethod](): string {
    return ['', ...this.steps.map(stepText), ''].join('\n');
  }
}

/** The position of a shrunk sequence among the shrinks of the one before it, and the number of shrinks that led to it. */
interface ShrinkContext {
  readonly cursor: Cursor;
  readonly depth: number;
}

/**
 * Sequences to play. A failing one shrinks to fewer steps and simpler numbers, since fast-check cannot remove steps that depend on state.
 */
export class Sequences extends fc.Arbitrary<Sequence> {
  readonly #path: readonly Failing[];

  /** `path`: the failures of the sequences along fast-check's path, which it shrinks without playing them. */
  constructor(path: readonly Failing[] = []) {
    super();
    this.#path = path;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<Sequence> {
    return new fc.Value(new Sequence([], liveDraw(random, bias)), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Sequence {
    return value instanceof Sequence;
  }

  shrink(sequence: Sequence, context?: unknown): fc.Stream<fc.Value<Sequence>> {
    const { cursor, depth } = (context ?? { depth: 0 }) as Partial<ShrinkContext> & { depth: number };
    const { steps, failure } = sequence.failure === null ? (this.#path[depth] ?? sequence) : sequence;
    if (failure === null) return fc.Stream.nil();
    const kind = plainKind(failure.kind);
    return fc.stream(shrinks(steps, failure.at, cursor)).map(([simpler, next]) => {
      const following: ShrinkContext = { cursor: next, depth: depth + 1 };
      return new fc.Value(new Sequence(simpler, null, kind), following);
    });
  }
}

export const sequences: fc.Arbitrary<Sequence> = new Sequences();
