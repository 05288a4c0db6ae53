import type { Command } from '../commands/command.js';
import type { ServiceModel, Setting } from '../model/ports.js';
import { ModelRunner } from '../play/player.js';
import { type Failure, type PlayOptions, type Rule, playSequence } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';

/** What sequences are judged by. */
export interface CheckSuite {
  readonly commands: readonly Command[];
  readonly rules: readonly Rule[];
  readonly makeModel: (setting: Setting) => ServiceModel;
}

/** Plays sequences from a world's beginning, again and again, with every rule asked after every step. */
export class ReplayHarness {
  readonly #player: ModelRunner;
  readonly #options: PlayOptions;
  readonly #genesis: Awaited<ReturnType<ModelRunner['mark']>>;

  private constructor(player: ModelRunner, options: PlayOptions, genesis: Awaited<ReturnType<ModelRunner['mark']>>) {
    this.#player = player;
    this.#options = options;
    this.#genesis = genesis;
  }

  static async open(
    target: FuzzTarget,
    world: WorldOptions,
    more: { readonly agents: number; readonly judges: CheckSuite },
  ): Promise<ReplayHarness> {
    const made: FuzzWorld = await target.open(world);
    const { commands, rules, makeModel } = more.judges;
    const player = new ModelRunner(made, makeModel(made.setting), more.agents);
    const options = { commands: new Map(commands.map((each) => [each.name, each])), rules, proofEvery: 1 };
    return new ReplayHarness(player, options, await player.mark());
  }

  /** How a sequence fails; null when it does not. */
  async play(steps: readonly Step[]): Promise<Failure | null> {
    await this.#player.restore(this.#genesis);
    return playSequence(steps, { player: this.#player, options: this.#options });
  }

  close(): Promise<void> {
    return this.#player.world.close();
  }
}
