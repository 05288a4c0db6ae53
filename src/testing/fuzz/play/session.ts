import type fc from 'fast-check';
import { checkArguments } from '../commands/arguments.js';
import type { Command } from '../commands/command.js';
import { type Draw, chance, weighted } from '../draw.js';
import { type CheckSuite, ReplayHarness } from './replay.js';
import { InvalidCampaign, NOTHING_TO_DRAW } from '../invalid-campaign.js';
import type { AccountState } from '../model/types.js';
import type { Step } from '../step.js';
import type { FuzzTarget, WorldOptions } from '../world.js';
import { lengthUpTo, untilPossible } from './drawing.js';
import type { ModelRunner } from './model-runner.js';
import { opening } from './opening.js';
import { type Failure, playStep, proof } from './sequence.js';
import type { Sequence } from './sequences.js';

/** Number of steps between reconciliations of books and chain. */
const PROOF_EVERY = 32;

export interface Drawing {
  /** The draw function of each sequence. */
  readonly commands: fc.Arbitrary<readonly Command[]>;
  readonly steps: number;
  /** The initial steps of a sequence; all others are drawn one by one. */
  readonly planned?: (draw: Draw) => readonly Step[];
  /** Called after each step with the state of its agent before it; null for a step without an agent. */
  readonly onStep?: (step: Step, before: AccountState | null, outcome: string) => void;
}

/** Draws a step of one of the commands; null when the draw is impossible in the current state. */
export function drawStep(
  id: number,
  commands: readonly Command[],
  { draw, runner }: { readonly draw: Draw; readonly runner: ModelRunner },
): Step | null {
  runner.drawingBegins();
  const command = draw(weighted(commands.map((each) => [each, each.weight * (each.times?.(runner) ?? 1)])));
  const drawn = draw(command.draw(runner));
  if (drawn === null) return null;
  // An expired token can do little, so it is used only occasionally.
  const { by } = drawn;
  const isOver = by !== undefined && !runner.isSignedIn(by) && drawn.with['auth'] === undefined;
  return isOver && draw(chance(85)) ? { id, do: 'signIn', by, with: {} } : { id, ...drawn };
}

/** A world after the opening, in which sequences are played one after another, each from that state. */
export class Session {
  readonly opening: readonly Step[];
  readonly #harness: ReplayHarness;

  private constructor(harness: ReplayHarness) {
    this.#harness = harness;
    this.opening = opening(this.runner.names);
  }

  /** Opens a world and plays the opening; returns its failure if it breaks a rule. */
  static async open(
    target: FuzzTarget,
    world: WorldOptions,
    more: { readonly agents: number; readonly checkSuite: CheckSuite },
  ): Promise<Session | Failure> {
    const harness = await ReplayHarness.open(target, world, more);
    try {
      const session = new Session(harness);
      const failure = await harness.play(session.opening);
      if (failure === null) {
        await harness.beginHere();
        return session;
      }
      await harness.close();
      return failure;
    } catch (error) {
      await harness.close();
      throw error;
    }
  }

  get runner(): ModelRunner {
    return this.#harness.runner;
  }

  /**
   * Draws a sequence while it plays it; returns the steps. Throws InvalidCampaign, and errors of the world itself. Equal draws play equal
   * sequences.
   */
  async play(sequence: Sequence, drawing: Drawing): Promise<readonly Step[]> {
    if (sequence.draw === null) throw new TypeError('the steps of the sequence are fixed');
    await this.begin();
    const steps: Step[] = [];
    const failure = await this.#drawnInto(steps, sequence.draw, drawing);
    const at = this.opening.length + (failure?.at ?? 0);
    sequence.played([...this.opening, ...steps], failure === null ? null : { ...failure, at });
    return steps;
  }

  async #drawnInto(steps: Step[], draw: Draw, drawing: Drawing): Promise<Failure | null> {
    const planned = drawing.planned?.(draw) ?? [];
    const commands = draw(drawing.commands);
    const count = Math.max(planned.length, draw(lengthUpTo(drawing.steps)));
    while (steps.length < count) {
      const step = planned[steps.length] ?? this.#drawn(draw, commands, steps.at(-1));
      if (step === null) break;
      const failure = await this.#played(step, steps.push(step) - 1, drawing);
      if (failure !== null) return failure;
    }
    if (steps.length === 0) throw new InvalidCampaign(NOTHING_TO_DRAW);
    return proof(steps, steps.length - 1, this.runner);
  }

  /** Reverts to the end of the opening. */
  begin(): Promise<void> {
    return this.#harness.begin();
  }

  /** Plays a step that was written by hand and checks its response, all rules, books and chain. */
  step(step: Step): ReturnType<typeof playStep> {
    checkArguments([step], this.#harness.options);
    return playStep(step, 0, this.#harness);
  }

  close(): Promise<void> {
    return this.#harness.close();
  }

  #drawn(draw: Draw, commands: readonly Command[], last: Step | undefined): Step | null {
    const id = (last?.id ?? this.opening.length) + 1;
    return untilPossible(() => drawStep(id, commands, { draw, runner: this.runner }));
  }

  async #played(step: Step, at: number, { onStep }: Drawing): Promise<Failure | null> {
    const { runner } = this;
    const before = step.by === undefined ? null : runner.accountState(step.by);
    runner.drawingEnds();
    const options = { ...this.#harness.options, proofEvery: PROOF_EVERY };
    const { played, failure } = await playStep(step, at, { runner, options });
    onStep?.(step, before, played.outcome);
    return failure;
  }
}
