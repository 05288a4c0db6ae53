import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedEngineName } from '../../../src/runtime/config.js';
import { type AttackResult, Target } from './target.js';

/** The folder and processes of one attack that starts its own. */
export class Place {
  /** Empty, and used by this attack only. */
  readonly dir: string;
  readonly #targets: Target[] = [];

  constructor(
    readonly engine: EmbeddedEngineName,
    readonly round: number,
    root: string,
  ) {
    this.dir = root;
    mkdirSync(root);
  }

  /** The random seed of the attack. */
  get seed(): string {
    return `hostile-${this.engine}-${this.round}`;
  }

  /** A path in its folder. */
  path(name: string): string {
    return join(this.dir, name);
  }

  async start(args: readonly string[], wrapper: readonly string[] = []): Promise<Target> {
    const target = await Target.start(['--engine', this.engine, ...args], wrapper);
    this.#targets.push(target);
    return target;
  }

  /** Stops all processes started here. */
  async clear(): Promise<void> {
    await Promise.all(this.#targets.map((target) => target.stop()));
  }
}

/** An attack that starts its own processes. */
export type OwnAttack = (place: Place) => Promise<AttackResult>;
