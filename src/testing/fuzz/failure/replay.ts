import type { Command } from '../commands/command.js';
import type { ServiceModel, Setting } from '../model/ports.js';
import { Player } from '../play/player.js';
import { type Failure, type PlayOptions, type Rule, playSequence } from '../play/sequence.js';
import type { Step } from '../step.js';
import type { FuzzTarget, FuzzWorld, WorldOptions } from '../world.js';

/** What sequences are judged by. */
export interface Judges {
  readonly commands: readonly Command[];
  readonly rules: readonly Rule[];
  readonly makeModel: (setting: Setting) => ServiceModel;
}

/** Plays sequences from a world's beginning, again and again, with every rule asked after every step. */
export class Stand {
  readonly #player: Player;
  readonly #options: PlayOptions;
  readonly #genesis: Awaited<ReturnType<Player['mark']>>;

  private constructor(player: Player, options: PlayOptions, genesis: Awaited<ReturnType<Player['mark']>>) {
    this.#player = player;
    this.#options = options;
    this.#genesis = genesis;
  }

  static async open(
    target: FuzzTarget,
    world: WorldOptions,
    more: { readonly agents: number; readonly judges: Judges },
  ): Promise<Stand> {
    const made: FuzzWorld = await target.open(world);
    const { commands, rules, makeModel } = more.judges;
    const player = new Player(made, makeModel(made.setting), more.agents);
    const options = { commands: new Map(commands.map((each) => [each.name, each])), rules, proofEvery: 1 };
    return new Stand(player, options, await player.mark());
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
