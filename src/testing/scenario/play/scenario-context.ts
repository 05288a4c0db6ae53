import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { Named, type Scope } from '../references.js';
import type { ServiceFacts, World } from '../target.js';
import { Actor } from './actor.js';
import type { PaidService } from './paid-service.js';

/** State of a scenario during play: its world, agents, services and saved values. */
export class ScenarioContext {
  readonly actors = new Map<string, Actor>();
  readonly services = new Map<string, PaidService>();
  /** Ids of snapshots by their names in the scenario. */
  readonly snapshots = new Map<string, string>();
  readonly #saved = new Map<string, unknown>();

  private constructor(
    readonly world: World,
    readonly facts: ServiceFacts,
    /** World time when the last step ended. */
    public now: string,
  ) {}

  static async in(world: World): Promise<ScenarioContext> {
    return new ScenarioContext(world, await world.facts(), new Date(await world.nowMs()).toISOString());
  }

  addAgent(name: string, wallet: AgentWallet): Actor {
    const actor = new Actor(wallet, this.world);
    this.actors.set(name, actor);
    return actor;
  }

  save(name: string, value: unknown): void {
    this.#saved.set(name, value);
  }

  addresses(): Record<string, string> {
    return Object.fromEntries([...this.actors].map(([name, { wallet }]) => [name, wallet.address]));
  }

  /** The scope of references; `local` takes precedence, such as the number of a round. */
  scope(local: Readonly<Record<string, unknown>>): Scope {
    const { treasury, usdcMint, issuer } = this.facts;
    const fixed: Readonly<Record<string, unknown>> = {
      treasury,
      usdcMint,
      issuer: issuer ?? undefined,
      now: this.now,
    };
    return {
      get: (name) => {
        if (Object.hasOwn(local, name)) return local[name];
        if (this.#saved.has(name)) return this.#saved.get(name);
        const actor = this.actors.get(name);
        if (actor !== undefined) return new Named(actor.wallet.address, actor.token);
        return Object.hasOwn(fixed, name) ? fixed[name] : undefined;
      },
      names: () => [
        ...Object.keys(local),
        ...this.#saved.keys(),
        ...this.actors.keys(),
        ...Object.keys(fixed).filter((name) => fixed[name] !== undefined),
      ],
    };
  }
}
