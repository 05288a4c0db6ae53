import { SimulatorWorld } from '../../testing/drivers/in-process.js';
import type { Target, World } from '../../testing/scenario/target.js';
import { UsageError } from '../usage.js';
import { HISTORY } from '../world.js';
import type { RunArguments } from './flags.js';

/** Maximum number of worlds, each of which needs an engine and a port. */
const MOST_WORLDS = 16;

/** The worlds of failed scenarios after their failed steps, served with the inspector. */
export class KeptWorlds {
  readonly #worlds: World[] = [];

  /** Throws UsageError for options that play scenarios in other processes or more than once. */
  constructor({ workers, baseUrl, retries }: Pick<RunArguments, 'workers' | 'baseUrl' | 'retries'>) {
    if (workers > 1 || baseUrl !== undefined || retries > 0)
      throw new UsageError(
        '--inspect keeps worlds in this process: leave out --workers, --base-url and --retries',
      );
  }

  /** The target with worlds that keep a snapshot before each request. */
  from(target: Target): Target {
    return { ...target, open: (options) => target.open({ history: HISTORY, ...options }) };
  }

  get count(): number {
    return this.#worlds.length;
  }

  /** Serves a world; returns the address of its timeline, or null if too many worlds are served. */
  readonly keep = async (world: World): Promise<string | null> => {
    if (!(world instanceof SimulatorWorld) || this.#worlds.length === MOST_WORLDS) return null;
    const { origin } = await world.sim.listen();
    this.#worlds.push(world);
    return `${origin}/inspector/timeline`;
  };

  async close(): Promise<void> {
    await Promise.all(this.#worlds.splice(0).map((world) => world.close()));
  }
}
