import type fc from 'fast-check';
import { checkArguments } from '../commands/arguments.js';
import { type Command, byVerb } from '../commands/command.js';
import type { Draw } from '../draw.js';
import { InvalidCampaign, NOTHING_TO_DRAW } from '../invalid-campaign.js';
import type { AccountState, ServiceModel, ModelConfig } from '../model/types.js';
import type { Step } from '../step.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';
import { drawStep, lengthUpTo, untilPossible } from './drawing.js';
import { type ChangeRule, ModelRunner, type ModelRunnerSnapshot, type Rule } from './model-runner.js';
import { opening } from './opening.js';
import { type AfterStep, type Failure, type PlayOptions, playSequence, playStep, proof } from './sequence.js';
import type { Sequence } from './sequences.js';

/** Number of steps between reconciliations of books and chain while a sequence is drawn. */
const PROOF_EVERY = 32;

/** The model, commands and rules that sequences are checked with. */
export interface CheckSuite {
  readonly commands: readonly Command[];
  readonly rules: readonly (Rule | ChangeRule)[];
  readonly makeModel: (modelConfig: ModelConfig) => ServiceModel;
  /** Whether a custom model is used. */
  readonly isOwnModel?: boolean;
}

export interface Drawing {
  /** The draw function of each sequence. */
  readonly commands: fc.Arbitrary<readonly Command[]>;
  readonly steps: number;
  /** The initial steps of a sequence; all others are drawn one by one. */
  readonly planned?: (draw: Draw) => readonly Step[];
  /** Called after each step with the state of its agent before it; null for a step without an agent. */
  readonly onStep?: (step: Step, before: AccountState | null, outcome: string) => void;
}

/** A world in which sequences are played one after another: given ones in a fresh state, drawn ones after the opening. */
export class ReplayHarness {
  readonly runner: ModelRunner;
  readonly options: PlayOptions;
  readonly opening: readonly Step[];
  readonly #fresh: ModelRunnerSnapshot;
  /** The state after the opening, or its failure; null until it is played. */
  #opened: { readonly snapshot: ModelRunnerSnapshot } | { readonly failure: Failure } | null = null;

  private constructor(runner: ModelRunner, options: PlayOptions, fresh: ModelRunnerSnapshot) {
    this.runner = runner;
    this.options = options;
    this.opening = opening(runner.names);
    this.#fresh = fresh;
  }

  static async open(
    target: FuzzTarget,
    world: WorldOptions,
    more: { readonly agents: number; readonly checkSuite: CheckSuite },
  ): Promise<ReplayHarness> {
    const made: FuzzWorld = await target.open(world);
    const { commands, rules, makeModel } = more.checkSuite;
    const options = { commands: byVerb(commands), rules, proofEvery: 1 };
    try {
      const runner = new ModelRunner(made, makeModel(made.modelConfig), more.agents);
      return new ReplayHarness(runner, options, await runner.snapshot());
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  /** Plays steps in a fresh state, and checks every rule after every step. */
  async play(steps: readonly Step[], afterStep?: AfterStep): Promise<Failure | null> {
    await this.runner.restore(this.#fresh);
    return playSequence(steps, this, afterStep);
  }

  /** Reverts to the end of the opening, which is played once. Returns its failure if it breaks a rule. */
  async begin(): Promise<Failure | null> {
    if (this.#opened === null) {
      const failure = await this.play(this.opening);
      this.#opened = failure === null ? { snapshot: await this.runner.snapshot() } : { failure };
    }
    if ('failure' in this.#opened) return this.#opened.failure;
    await this.runner.restore(this.#opened.snapshot);
    return null;
  }

  /**
   * Draws a sequence while it plays it after the opening. Returns the steps; null when the opening fails, which is then the failure of the
   * sequence. Throws InvalidCampaign, and errors of the world itself. Equal draws play equal sequences.
   */
  async draw(sequence: Sequence, drawing: Drawing): Promise<readonly Step[] | null> {
    if (sequence.draw === null) throw new TypeError('the steps of the sequence are fixed');
    const broken = await this.begin();
    if (broken !== null) {
      sequence.played(this.opening, broken);
      return null;
    }
    const steps: Step[] = [];
    const failure = await this.#drawnInto(steps, sequence.draw, drawing);
    const at = this.opening.length + (failure?.at ?? 0);
    sequence.played([...this.opening, ...steps], failure === null ? null : { ...failure, at });
    return steps;
  }

  /** Plays a step that was written by hand and checks its response, all rules, books and chain. */
  step(step: Step): ReturnType<typeof playStep> {
    checkArguments([step], this.options);
    return playStep(step, 0, this);
  }

  close(): Promise<void> {
    return this.runner.world.close();
  }

  async #drawnInto(steps: Step[], draw: Draw, drawing: Drawing): Promise<Failure | null> {
    const { runner } = this;
    const planned = drawing.planned?.(draw) ?? [];
    const commands = draw(drawing.commands);
    const count = Math.max(planned.length, draw(lengthUpTo(drawing.steps)));
    while (steps.length < count) {
      const id = (steps.at(-1)?.id ?? this.opening.length) + 1;
      const step = planned[steps.length] ?? untilPossible(() => drawStep(id, commands, { draw, runner }));
      if (step === null) break;
      const failure = await this.#played(step, steps.push(step) - 1, drawing);
      if (failure !== null) return failure;
    }
    if (steps.length === 0) throw new InvalidCampaign(NOTHING_TO_DRAW);
    return proof(steps, steps.length - 1, runner);
  }

  async #played(step: Step, at: number, { onStep }: Drawing): Promise<Failure | null> {
    const { runner } = this;
    const before = step.by === undefined ? null : runner.accountState(step.by);
    runner.drawingEnds();
    const options = { ...this.options, proofEvery: PROOF_EVERY };
    const { played, failure } = await playStep(step, at, { runner, options });
    onStep?.(step, before, played.outcome);
    return failure;
  }
}
