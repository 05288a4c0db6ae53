import type { ModelToken, Published, Transfer, AccountState, ServiceModel } from '../model/types.js';
import type { Args, Json, Step } from '../step.js';
import bs58 from 'bs58';
import type { AgentWallet } from '../../../sdk/client/wallet.js';
import { NOTHING, TOKENS } from '../model/amounts.js';
import type { Deviation } from '../model/difference.js';
import type { FuzzWorld } from '../world.js';
import { altered, resolved } from './references.js';

/** A transaction that later steps may refer to. */
export interface KnownTransaction {
  readonly reference: string;
  readonly signature: string;
  /** The agent that sent it; null for the bank and for operators. */
  readonly by: string | null;
  /** Other agents involved: cosigners, or owners whose tokens a delegate moved. */
  readonly others: readonly string[];
  readonly transfers: readonly Transfer[];
}

/** A payment request that later steps may pay. */
export interface KnownRequest {
  /** A reference to the value of the header. */
  readonly reference: string;
  readonly of: string;
  readonly amount: number;
  readonly token: ModelToken;
}

/** A call that may be repeated. */
export interface KeyedCall {
  readonly by: string;
  readonly operation: string;
  readonly args: Args;
  readonly isDone: boolean;
  readonly atMs: number;
}

/** Results of the sequence so far: the values of references, and objects that later steps may refer to. Each member is a map, a set or a list. */
export class Memory {
  /** By reference name, such as `s3.signature`. */
  readonly values = new Map<string, string>();
  /** Where in the response of its step each value was. */
  readonly paths = new Map<string, string>();
  /** Each agent's current bearer token, and when it was issued. */
  readonly tokens = new Map<string, { readonly text: string; readonly issuedMs: number }>();
  readonly transactions: KnownTransaction[] = [];
  readonly recorded = new Set<string>();
  readonly requests: KnownRequest[] = [];
  /** Headers of requests that agents have paid or tried to pay. */
  readonly triedRequests = new Set<string>();
  readonly keyed: KeyedCall[] = [];
  /** Calls that failed because of a fault or the chain, to be repeated. */
  readonly failed: KeyedCall[] = [];
  /** Instants at which something happened, and instants in responses, in milliseconds. */
  readonly instants = new Set<number>();
  /** Former due dates of loans that an operator changed: nothing may happen then. */
  readonly oldDueDates = new Set<number>();
  /** Scheduled changes of rates and prices. */
  readonly plannedChanges: (Published & { readonly fromMs: number })[] = [];
  readonly loans: { readonly reference: string; readonly of: string }[] = [];
  /** References to challenges, with the agents they were issued for. */
  readonly challenges: { readonly reference: string; readonly of: string }[] = [];
  /** References to challenges that were verified. */
  readonly usedChallenges = new Set<string>();
  readonly oldTokens: string[] = [];
  /** On-chain delegates by owner. */
  readonly allowances: { readonly owner: string; readonly delegate: string }[] = [];
  /** Each wallet's on-chain holdings that did not come from the bank, in base units. */
  readonly ownFunds = new Map<string, { readonly USDC: bigint; readonly SOL: bigint }>();
  /** Tokens that a thief took from the treasury. */
  readonly drained = new Set<ModelToken>();

  /** Whether the treasury was drained: then the bank's transfers between its own addresses depend on the order of calls. */
  get isDrained(): boolean {
    return this.drained.size > 0;
  }

  copy(): Memory {
    const copies = Object.entries(this).map(([name, member]: [string, object]) => {
      if (member instanceof Map) return [name, new Map(member)];
      return [name, member instanceof Set ? new Set(member) : [...(member as unknown[])]];
    });
    return Object.assign(new Memory(), Object.fromEntries(copies));
  }
}

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
