import type fc from 'fast-check';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';

/** A step without its number. */
export interface Drawn {
  readonly do: string;
  readonly by?: string;
  readonly with: Args;
}

/** A kind of step: how to draw one, and how to play it. */
export interface Command {
  readonly name: string;
  /** Frequency relative to other commands. */
  readonly weight: number;
  /** A factor for its weight in the current state, for steps that rarely succeed. */
  readonly times?: ((runner: ModelRunner) => number) | undefined;
  /** Draws an interesting step for the current state; null when there is none. */
  draw(runner: ModelRunner): fc.Arbitrary<Drawn | null>;
  play(step: Step, runner: ModelRunner): Promise<Played>;
}
