import bs58 from 'bs58';
import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { NOTHING, TOKENS } from '../model/amounts.js';
import type { Deviation } from '../model/difference.js';
import type { AccountState, ServiceModel } from '../model/types.js';
import type { Json, Step } from '../step.js';
import type { FuzzWorld } from '../world.js';
import { Memory } from './memory.js';
import { altered, resolved } from './references.js';

/** Names of agents, in order. */
export const AGENT_NAMES = ['ann', 'ben', 'cem', 'dee', 'eve', 'fay', 'gus', 'hal'] as const;

/** Addresses without a known key or funds. */
const STRANGERS = [7, 9].map((byte) => bs58.encode(new Uint8Array(32).fill(byte)));

export interface Played {
  /** `ok`, an error code, `lost`, `refused` (by the chain), or `idle` when the step could not be carried out. */
  readonly outcome: string;
  /** How the world deviates from the rules, in words for a custom command; null if it does not. */
  readonly deviation: Deviation | null;
}

/** A custom rule, checked after each step. Returns a description of the violation, or null. Counterexamples name it by its function name. */
export type Rule = (
  runner: ModelRunner,
  step: Step,
  played: Played,
) => string | null | Promise<string | null>;

/** A custom rule about change, such as one that adds up payments. */
export interface ChangeRule {
  /** The name in counterexamples. */
  readonly name?: string;
  /**
   * Called wherever steps begin: in a new world before its opening, in the state before each sequence and each attempt of shrinking, and
   * after a revert. Returns the rule for the steps from there on.
   */
  readonly start: (runner: ModelRunner) => Rule | Promise<Rule>;
}

/** A snapshot of the runner, for `restore`. */
export interface ModelRunnerSnapshot {
  readonly world: string;
  readonly model: ServiceModel;
  readonly memory: Memory;
}

/** Plays steps both in a world and in its model, and stores what later steps may refer to. */
export class ModelRunner {
  readonly world: FuzzWorld;
  readonly names: readonly string[];
  readonly strangers: readonly string[] = STRANGERS;
  model: ServiceModel;
  memory = new Memory();
  readonly #wallets: ReadonlyMap<string, AgentWallet>;
  readonly #names: ReadonlyMap<string, string>;
  /** Snapshots taken by steps of this sequence, by step number. */
  readonly #snapshots = new Map<number, ModelRunnerSnapshot>();
  /** The rules of change since the world began or was reverted. */
  readonly #started = new Map<ChangeRule, Rule>();
  /** Account states, cached while a step is drawn; null while it is played. */
  #accountStates: Map<string, AccountState> | null = null;

  constructor(world: FuzzWorld, model: ServiceModel, agents: number) {
    this.world = world;
    this.model = model;
    this.names = ModelRunner.namesOf(agents);
    this.#wallets = new Map(this.names.map((name, at) => [name, world.wallets[at] as AgentWallet]));
    this.#names = new Map([...this.#wallets].map(([name, { address }]) => [address, name]));
    for (const name of this.names) this.memory.ownFunds.set(name, world.holdings(this.address(name)));
  }

  static namesOf(agents: number): readonly string[] {
    return AGENT_NAMES.slice(0, agents);
  }

  /** Whether an agent has an unexpired token. */
  isSignedIn(name: string): boolean {
    const token = this.memory.tokens.get(name);
    // Tokens are valid from a whole second on.
    const { tokenSeconds } = this.world.modelConfig.limits;
    const issuedSeconds = Math.floor((token?.issuedMs ?? -Infinity) / 1_000);
    return this.world.nowMs() < (issuedSeconds + tokenSeconds) * 1_000;
  }

  /** The wallet of an agent. Throws RangeError for an unknown name. */
  wallet(name: string): AgentWallet {
    const wallet = this.#wallets.get(name);
    if (wallet === undefined)
      throw new RangeError(`there is no agent ${name}; there are ${this.names.join(', ')}`);
    return wallet;
  }

  address(name: string): string {
    return this.wallet(name).address;
  }

  nameOf(address: string): string | null {
    return this.#names.get(address) ?? null;
  }

  accountState(name: string): AccountState {
    const known = this.#accountStates?.get(name);
    if (known !== undefined) return known;
    const accountState = this.model.accountState(this.address(name));
    this.#accountStates?.set(name, accountState);
    return accountState;
  }

  /** Caches account states; do not play a step before calling `drawingEnds`. */
  drawingBegins(): void {
    this.#accountStates ??= new Map();
  }

  drawingEnds(): void {
    this.#accountStates = null;
  }

  resolve(json: Json): Json {
    return resolved(json, (name) => this.#valueOf(name));
  }

  /** Stores a step's result under `${s<id>.<what>}`, with its path in the response; returns the reference. */
  keep({ id }: Step, what: string, value: string, path = what): string {
    const name = `s${id}.${what}`;
    this.memory.values.set(name, value);
    this.memory.paths.set(name, path);
    return `\${${name}}`;
  }

  /** Call this after money moved on chain outside the bank: current balances become the wallets' own funds. */
  countFunds(): void {
    const byBank = this.model.sentByBank();
    for (const name of this.names) {
      const address = this.address(name);
      const { USDC, SOL } = this.world.holdings(address);
      const sent = byBank.get(address) ?? NOTHING;
      this.memory.ownFunds.set(name, { USDC: USDC - sent.USDC, SOL: SOL - sent.SOL });
    }
  }

  /** The first violated invariant: a rule of the books, or a bank transfer missing on chain; null for none. */
  async unsound(): Promise<Deviation | null> {
    const [broken] = await this.world.invariants();
    return broken === undefined ? this.misplacedIn(this.model) : { kind: 'invariant', ...broken };
  }

  /** Finds a wallet of an agent, or an address of the bank, with a balance that the model does not explain; null for none. */
  misplacedIn(model: ServiceModel): Deviation | null {
    const byBank = model.sentByBank();
    const wallets = this.names.map((name) => {
      const address = this.address(name);
      const own = this.memory.ownFunds.get(name) ?? NOTHING;
      const sent = byBank.get(address) ?? NOTHING;
      return { agent: name, address, wanted: { USDC: own.USDC + sent.USDC, SOL: own.SOL + sent.SOL } };
    });
    const { treasury, protocol, collectionOf } = this.world.modelConfig;
    const ofBank: Record<string, string> = { treasury, protocol };
    for (const name of this.names) ofBank[`${name}.collection`] = collectionOf(this.address(name));
    const bank = Object.entries(ofBank).map(([agent, address]) => ({
      agent,
      address,
      wanted: model.holds(address),
    }));
    for (const { agent, address, wanted } of [...wallets, ...bank]) {
      const held = this.world.holdings(address);
      for (const token of TOKENS)
        if (held[token] !== wanted[token])
          return { kind: 'chain', agent, token, expected: wanted[token], actual: held[token] };
    }
    return null;
  }

  /** The rules for the next step; starts those about change unless they have started since the last revert. */
  async startedRules(rules: readonly (Rule | ChangeRule)[]): Promise<readonly Rule[]> {
    const started: Rule[] = [];
    for (const rule of rules) {
      const own = typeof rule === 'function' ? rule : (this.#started.get(rule) ?? (await rule.start(this)));
      if (typeof rule !== 'function') this.#started.set(rule, own);
      started.push(own);
    }
    return started;
  }

  async snapshot(): Promise<ModelRunnerSnapshot> {
    return { world: await this.world.snapshot(), model: this.model.copy(), memory: this.memory.copy() };
  }

  /** Restores a snapshot, and discards the snapshots of the current sequence. */
  async restore(snapshot: ModelRunnerSnapshot): Promise<void> {
    await this.#restore(snapshot);
    for (const { world } of this.#snapshots.values()) this.world.deleteSnapshot(world);
    this.#snapshots.clear();
  }

  get snapshots(): readonly number[] {
    return [...this.#snapshots.keys()];
  }

  async keepSnapshot(id: number): Promise<void> {
    this.#snapshots.set(id, await this.snapshot());
  }

  /** Restores the snapshot of a step; returns false if it does not exist. */
  async revertTo(id: number): Promise<boolean> {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) return false;
    await this.#restore(snapshot);
    return true;
  }

  async #restore({ world, model, memory }: ModelRunnerSnapshot): Promise<void> {
    await this.world.restore(world);
    this.model = model.copy();
    this.memory = memory.copy();
    this.#started.clear();
  }

  #valueOf(name: string): string | undefined {
    if (name === 'treasury') return this.world.modelConfig.treasury;
    if (name === 'mint') return this.world.modelConfig.usdcMint;
    if (name === 'treasury.tokens') return this.world.tokenAccountOf(this.world.modelConfig.treasury);
    const [agent = '', what] = name.split('.');
    const wallet = this.#wallets.get(agent);
    if (wallet === undefined)
      return this.memory.values.get(name) ?? altered(name, (of) => this.memory.values.get(of));
    if (what === undefined) return wallet.address;
    if (what === 'tokens') return this.world.tokenAccountOf(wallet.address);
    if (what === 'collection') return this.world.modelConfig.collectionOf(wallet.address);
    return what === 'token' ? this.memory.tokens.get(agent)?.text : undefined;
  }
}
