import { type Command, byVerb } from '../commands/command.js';
import type { ServiceModel, ModelConfig } from '../model/types.js';
import { type ChangeRule, ModelRunner, type ModelRunnerSnapshot, type Rule } from './model-runner.js';
import { type AfterStep, type Failure, type PlayOptions, playSequence } from './sequence.js';
import type { Step } from '../step.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';

/** The model, commands and rules that sequences are checked with. */
export interface CheckSuite {
  readonly commands: readonly Command[];
  readonly rules: readonly (Rule | ChangeRule)[];
  readonly makeModel: (modelConfig: ModelConfig) => ServiceModel;
  /** Whether a custom model is used. */
  readonly isOwnModel?: boolean;
}

/** Plays sequences, each from the same state, and checks every rule after every step. */
export class ReplayHarness {
  readonly runner: ModelRunner;
  readonly options: PlayOptions;
  #start: ModelRunnerSnapshot;

  private constructor(runner: ModelRunner, options: PlayOptions, start: ModelRunnerSnapshot) {
    this.runner = runner;
    this.options = options;
    this.#start = start;
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

  /** Reverts to the state from which sequences begin: a fresh one, until `beginHere`. */
  begin(): Promise<void> {
    return this.runner.restore(this.#start);
  }

  /** Lets sequences begin in the current state. */
  async beginHere(): Promise<void> {
    this.#start = await this.runner.snapshot();
  }

  async play(steps: readonly Step[], afterStep?: AfterStep): Promise<Failure | null> {
    await this.begin();
    return playSequence(steps, this, afterStep);
  }

  close(): Promise<void> {
    return this.runner.world.close();
  }
}
