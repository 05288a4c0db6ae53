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
  /** Has no prototype, because a value can be saved under any name. */
  readonly #saved = Object.create(null) as Record<string, unknown>;

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

  /** Throws Error for an unknown name. */
  actor(name: string): Actor {
    const actor = this.actors.get(name);
    if (actor === undefined) throw new Error(`there is no agent ${name}`);
    return actor;
  }

  save(name: string, value: unknown): void {
    this.#saved[name] = value;
  }

  addresses(): Record<string, string> {
    return Object.fromEntries([...this.actors].map(([name, { wallet }]) => [name, wallet.address]));
  }

  /** The scope of references; `local` takes precedence, such as the number of a round. */
  scope(local: Readonly<Record<string, unknown>>): Scope {
    const { treasury, usdcMint, issuer } = this.facts;
    const fixed = { treasury, usdcMint, ...(issuer === null ? {} : { issuer }), now: this.now };
    const agents = [...this.actors].map(([name, { wallet, token }]) => [
      name,
      new Named(wallet.address, token),
    ]);
    const sources = [local, this.#saved, Object.fromEntries(agents), fixed] as Record<string, unknown>[];
    return {
      get: (name) => sources.find((source) => Object.hasOwn(source, name))?.[name],
      names: () => sources.flatMap(Object.keys),
    };
  }
}
