import type fc from 'fast-check';
import type { Played, ModelRunner } from '../play/model-runner.js';
import type { Args, Step } from '../step.js';

/** A step without its number. */
export interface Drawn {
  readonly do: string;
  readonly by?: string;
  readonly with: Args;
}

/** What draws steps of a kind, and plays them. */
export interface Command {
  readonly name: string;
  /** What its steps do. Default: its name. */
  readonly verbs?: readonly string[];
  /** Frequency relative to other commands. */
  readonly weight: number;
  /** A factor for its weight in the current state, for steps that rarely succeed. */
  readonly times?: ((runner: ModelRunner) => number) | undefined;
  /** Draws an interesting step for the current state; null when there is none. */
  draw(runner: ModelRunner): fc.Arbitrary<Drawn | null>;
  play(step: Step, runner: ModelRunner): Promise<Played>;
}

/** Commands by what their steps do. Of several, the last plays. */
export function byVerb(commands: readonly Command[]): ReadonlyMap<string, Command> {
  return new Map(commands.flatMap((each) => (each.verbs ?? [each.name]).map((verb) => [verb, each])));
}
