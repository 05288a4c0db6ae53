import type { PlayOptions } from '../play/play-options.js';
import type { World } from '../target.js';
import type { PropertyCase } from './property-case.js';

/** The shortest failing sequence so far. Its world stays open if worlds of failures are kept. */
export class WorstCase {
  readonly #keep: PlayOptions['keep'];
  #case: { readonly played: PropertyCase; readonly world: World } | null = null;

  constructor(keep: PlayOptions['keep']) {
    this.#keep = keep;
  }

  get played(): PropertyCase | null {
    return this.#case?.played ?? null;
  }

  /** Replaces the sequence with a shorter one. */
  async take(played: PropertyCase, world: World): Promise<void> {
    await this.close();
    this.#case = { played, world };
  }

  /** Closes a used world unless it must be kept. */
  async leave(world: World): Promise<void> {
    if (this.#keep === undefined || world !== this.#case?.world) await world.close();
  }

  /** Hands the world over; returns the address where it can be inspected, or null if it is not kept. */
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
