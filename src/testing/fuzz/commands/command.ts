import type { Random } from '../random.js';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';

/** A step without its number. */
export interface Drawn {
  readonly do: string;
  readonly by?: string;
  readonly with: Args;
}

/** Something that steps can do: how one is drawn, and how it is played. */
export interface Command {
  readonly name: string;
  /** How often it is drawn beside the others. */
  readonly weight: number;
  /** What it would be interesting to do now; null when it cannot be done. */
  draw(random: Random, runner: ModelRunner): Drawn | null;
  /** Plays a step of this name in the world and in the model. */
  play(step: Step, runner: ModelRunner): Promise<Played>;
}
