import type { PlayOptions } from '../play/play-options.js';
import type { World } from '../target.js';
import type { PropertyCase } from './property-case.js';

/** The shortest failing sequence so far, as played; its world stays open when worlds of failures are kept. */
export class WorstCase {
  readonly #keep: PlayOptions['keep'];
  #case: { readonly played: PropertyCase; readonly world: World } | null = null;

  constructor(keep: PlayOptions['keep']) {
    this.#keep = keep;
  }

  get played(): PropertyCase | null {
    return this.#case?.played ?? null;
  }

  /** Takes a shorter one, in place of that before. */
  async take(played: PropertyCase, world: World): Promise<void> {
    await this.close();
    this.#case = { played, world };
  }

  /** Closes a world that has been played in, unless it is to be kept. */
  async leave(world: World): Promise<void> {
    if (this.#keep === undefined || world !== this.#case?.world) await world.close();
  }

  /** Gives the world away to be kept; the address where it can be inspected, or null when it is not kept. */
  async keep(): Promise<string | null> {
    if (this.#case === null) return null;
    const address = (await this.#keep?.(this.#case.world)) ?? null;
    if (address === null) await this.close();
    return address;
  }

  async close(): Promise<void> {
    if (this.#keep !== undefined) await this.#case?.world.close();
  }
}
