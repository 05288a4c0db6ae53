import type { Random } from '../random.js';
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
  /** A factor of its weight in the current state, for what can seldom succeed. */
  readonly times?: ((runner: ModelRunner) => number) | undefined;
  /** Draws an interesting step for the current state; null when there is none. */
  draw(random: Random, runner: ModelRunner): Drawn | null;
  play(step: Step, runner: ModelRunner): Promise<Played>;
}
