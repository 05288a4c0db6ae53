import type { Bank } from '../bank/bank.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { FiredEvent } from '../runtime/due-runner.js';
import type { ClusterChain } from '../chain/cluster/cluster-chain.js';
import type { USDC_MINTS } from '../chain/genesis.js';
import { AgentClient } from '../sdk/client/client.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import {
  type EmbeddedEngineName,
  InvalidOptions,
  type SimulatorConfig,
  type SimulatorOptions,
  timeMode,
} from '../runtime/config.js';
import { type RequestContext, NO_REQUEST } from '../core/domain/request-context.js';
import type { Violation } from '../core/domain/invariants.js';
import { CompositeState, type Snapshotable } from '../core/snapshot.js';
import { isAddress } from '../core/domain/inputs.js';
import type { Token } from '../core/domain/money.js';
import { type Explanation, explain } from '../runtime/events/explain.js';
import { LogFile } from '../runtime/events/log-file.js';
import { connectEventLog } from './connect-event-log.js';
import { EventLog } from '../runtime/events/log.js';
import { EventStreams } from '../runtime/events/stream.js';
import type { RecorderSlot } from '../api/pipeline/recorder-port.js';
import { Faults } from '../runtime/faults/fault-rules.js';
import { connectionEnded } from '../api/http/answers.js';
import type { InProcessApi } from '../api/http/in-process.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import type { RunningServer } from '../api/http/server.js';
import type { Advance, AdvanceOptions } from '../runtime/jump-target.js';
import { type StartupState, resolveStartup } from './startup.js';
import { bankOf, factsOf, oracleOf } from './create-bank.js';
import { type Readers, readersOf } from './readers.js';
import type { CustomersApi } from '../runtime/customers-api.js';
import { JournalApi } from '../runtime/journal-api.js';
import type { PaymentFacts } from '../runtime/payment-facts.js';
import type { SeriesApi } from '../runtime/series-api.js';
import { ChainApi } from '../runtime/chain-api.js';
import { Scheduler } from '../runtime/scheduler.js';
import { Instants, type SnapshotRef } from './instants.js';
import { Gateway, type ServerOptions } from './gateway.js';
import type { DataFolderStart, DurableWorld } from '../persistence/data-folder.js';
import { type DevWallet, devWallet, devWallets } from '../runtime/dev-wallets.js';
import { FaultsApi } from '../runtime/faults-api.js';
import { Forks, mountedAt } from './forks.js';
import { type SimulatorHooks, interfacesOf } from './servers.js';
import { EmbeddedChain } from '../runtime/embedded-chain.js';
import { systemClock } from '../runtime/system-clock.js';
import { type OwnState, type WorldSnapshot, SnapshotStore } from '../runtime/snapshot-store.js';
import { logToOperator } from '../runtime/operator-log.js';
import { OracleApi } from '../runtime/oracle-api.js';
import { AccountsApi } from '../runtime/accounts/accounts-api.js';
import { WalletFunding } from '../runtime/wallet-funding.js';
import { RecordingSession } from '../recording/recorder/session.js';
import { keySeed } from '../runtime/key-seed.js';
import type { PersistedWorld, StateSource } from '../persistence/state.js';
import { ClusterLimit } from '../runtime/refusals.js';
import type { Differences } from '../runtime/inspection/differences.js';
import { LoanDesk } from '../runtime/loan-desk.js';
import type { HistoryPage } from '../runtime/request-history.js';
import type { PageQuery } from '../runtime/inspection/page.js';
import type { RunningRpc } from '../api/rpc/server.js';
import { Clock, type TimeMode } from '../world/clock.js';
import { KeyRing } from '../world/keys.js';
import type { Oracle } from '../world/oracle.js';

export type { SimulatorHooks };

interface WorldParts {
  readonly config: SimulatorConfig;
  readonly hooks: SimulatorHooks;
  readonly secretSeed: string;
  readonly clock: Clock;
  readonly ground: EmbeddedChain | ClusterChain;
  /** Set for a fork served beside another world. */
  readonly mount?: string;
  readonly forks?: Forks;
}

/** A world: bank, chain, clock, oracle, reviewers. Created by `createSimulator`. */
export class Simulator {
  readonly config: SimulatorConfig;
  /** Ten funded wallets, determined by the seed. Empty on a cluster. */
  readonly wallets: readonly DevWallet[];
  /** @internal The operations of the service without requests around them. */
  readonly bank: Bank;
  readonly facts: ServiceFacts;
  /** The operations with all that HTTP adds: tokens, validation, idempotency, faults, the log. */
  readonly api: InProcessApi;
  readonly #hooks: SimulatorHooks;
  readonly #chainSource: EmbeddedChain | ClusterChain;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #scheduler: Scheduler;
  readonly #gateway: Gateway;
  readonly #forks: Forks;
  readonly #snapshots: SnapshotStore;
  readonly #instants: Instants;
  readonly #readers: Readers;
  /** Creates wallets for the world's users, and funds wallets. */
  readonly funding: WalletFunding;
  /** Any account of the chain. */
  readonly accounts: AccountsApi;
  /** The world's fault rules. */
  readonly faults: FaultsApi;
  /** Records requests and responses for replay. */
  readonly recording: RecordingSession;
  /** Everything that happens in the world, numbered. */
  readonly events: EventLog;
  readonly eventStreams: EventStreams;
  readonly #logFiles = new Set<LogFile>();
  /** The prefix of every path; empty except for a fork served beside another world. */
  readonly #mount: string;
  /** Seeds the secrets of tokens and receipts; the world's seed unless `freshSecrets` is set. */
  readonly #secretSeed: string;
  /** `null` unless `dataDir` is set. */
  #durable: DurableWorld | null = null;
  #closed = false;

  private constructor({ config, hooks, secretSeed, clock, ground, mount = '', forks }: WorldParts) {
    this.config = config;
    this.#secretSeed = secretSeed;
    this.#hooks = hooks;
    this.#mount = mount;
    const faults = new Faults(config.seed);
    const recorder: RecorderSlot = { on: null };
    this.#forks = forks ?? new Forks(config.limits.forks);
    this.faults = new FaultsApi(faults, config.limits.faults);
    this.events = new EventLog(() => clock.nowMs(), config.limits.eventLogBytes);
    this.eventStreams = new EventStreams(this.events, config.limits.eventStreams);
    const keys = new KeyRing(keySeed(config));
    this.#clock = clock;
    this.#oracle = oracleOf(config, clock.startMs);
    this.#chainSource = ground;
    const embedded = ground instanceof EmbeddedChain ? ground : null;
    const chain = ground instanceof EmbeddedChain ? ground.chain : ground;
    this.wallets = config.cluster === null ? devWallets(keys) : [];
    this.bank = bankOf(config, { keys, secretSeed, ground, clock, oracle: this.#oracle, hooks });
    this.facts = factsOf(this.bank);
    this.books = new JournalApi(this.bank.books, () => clock.nowMs());
    this.oracle = new OracleApi(this.#oracle, this.#clock, config.seed);
    this.#scheduler = new Scheduler({
      clock,
      bank: this.bank,
      oracle: this.#oracle,
      arrivals: embedded?.fates ?? null,
      events: this.events,
      maxEvents: config.limits.jumpEvents,
      wait: hooks.wait,
      fork: async () => this.#createFrom(await this.#snapshots.capture(), {}),
      onMoved: () => this.#gateway.readyRpc?.timeMoved(),
    });
    const { bank, events, wallets } = this;
    const scheduler = this.#scheduler;
    this.reviews = new LoanDesk(bank, { scheduler, embedded });
    this.chain = new ChainApi(chain, { usdcMint: this.facts.usdcMint, scheduler });
    this.#readers = readersOf(this, { embedded, clock, oracle: this.#oracle });
    this.funding = new WalletFunding({ config, bank, wallets, chain: this.chain, scheduler, embedded });
    const whenDurable = () => this.whenDurable();
    this.accounts = new AccountsApi({ bank, scheduler, embedded, whenDurable });
    const state = new CompositeState<OwnState>({
      clock,
      oracle: this.#oracle,
      seenMs: scheduler.seenMs,
      faults,
      walletsMade: this.funding.walletsMade,
      bank: this.bank.state,
    });
    this.#snapshots = new SnapshotStore(state, {
      embedded,
      oracle: this.#oracle,
      maxSnapshots: config.limits.snapshots,
    });
    const [snapshots, { facts }] = [this.#snapshots, this];
    this.#instants = new Instants({
      bank,
      config,
      events,
      snapshots,
      scheduler,
      forks: this.#forks,
      embedded,
    });
    const { toScenario } = hooks;
    this.recording = new RecordingSession({
      ...this.#persisted(),
      wallets,
      facts,
      faults,
      recorder,
      embedded,
      toScenario,
    });
    const { api, served } = interfacesOf(this, {
      mount,
      faults,
      recorder,
      scheduler,
      hooks,
      history: this.#instants.history,
      ground: embedded,
    });
    this.api = api;
    this.#gateway = new Gateway({ ...served, forks: this.#forks });
    if (forks === undefined) this.#forks.rpcUrl = () => this.#gateway.rpcUrl;
    connectEventLog(this.events, this.bank, embedded?.chain ?? null);
  }

  /**
   * Creates a world at genesis, or resumes one from a state file or data folder. Throws InvalidOptions, StateError, DataError.
   */
  static async create(options: SimulatorOptions, hooks: SimulatorHooks = {}): Promise<Simulator> {
    const { config, secretSeed, begin, data } = await resolveStartup(options, hooks.onTrouble);
    try {
      const simulator = await Simulator.#start(config, hooks, { secretSeed });
      await simulator.#begin(begin, data);
      return simulator;
    } catch (error) {
      data?.folder.release();
      throw error;
    }
  }

  static async #start(
    config: SimulatorConfig,
    hooks: SimulatorHooks,
    more: Pick<WorldParts, 'secretSeed' | 'mount' | 'forks'>,
  ): Promise<Simulator> {
    const { cluster, engine, variants } = config;
    const { wall = systemClock() } = hooks;
    const startMs = config.startMs ?? wall();
    const clock = new Clock({ wall, mode: config.time, startMs });
    const base = { config, hooks, clock, ...more };
    if (cluster !== null) {
      const { openCluster, openTreasury } = await import('./cluster.js');
      const onCluster = new Simulator({ ...base, ground: await openCluster(cluster, variants.network) });
      onCluster.bank.open(await openTreasury(onCluster.bank));
      return onCluster;
    }
    const ground = await EmbeddedChain.start(engine as EmbeddedEngineName, config, {
      clock,
      signatures: hooks.signatures,
    });
    const simulator = new Simulator({ ...base, ground });
    simulator.bank.open(await ground.begin(simulator.bank.addresses, simulator.wallets));
    return simulator;
  }

  /** Restores what the world continues from, and persists it if it has a data folder. Closes the world when that fails. */
  async #begin(begin: StartupState['begin'], data: DataFolderStart | null): Promise<void> {
    try {
      await begin?.(this.#persisted());
      if ((data?.folder.world ?? null) === null) await this.#writeGenesis(begin === null);
      if (data !== null) {
        const { keepWorld } = await import('../persistence/data-folder.js');
        this.#durable = await keepWorld(this.#persisted(), data, this.#hooks.onTrouble ?? logToOperator);
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Writes the accounts of the options: to a new world as of slot 0. Throws InvalidOptions. */
  async #writeGenesis(isGenesis: boolean): Promise<void> {
    const { accounts, programs, clone } = this.config.genesis;
    if (accounts === undefined && programs === undefined && clone === undefined) return;
    try {
      const { loadAccounts } = await import('../runtime/accounts/load-accounts.js');
      const loaded = await loadAccounts(this.config.genesis, this.#hooks.onTrouble ?? logToOperator);
      await this.accounts.write(loaded.accounts, { isGenesis, leaveOut: loaded.leaveOut });
    } catch (error) {
      throw error instanceof RangeError ? new InvalidOptions(error.message) : error;
    }
  }

  /** An in-process client for a dev wallet by number, or for any wallet. */
  agent(wallet: number | AgentWallet): AgentClient {
    const own =
      typeof wallet === 'number'
        ? AgentWallet.fromSecretKey(devWallet(this.wallets, wallet).secretKey)
        : wallet;
    return new AgentClient({
      baseUrl: `http://sim.local${this.#mount}${BASE_PATH}`,
      wallet: own,
      fetch: this.fetch,
      chain: this.chain.connection(),
    });
  }

  /** The HTTP API in process: takes a Request, or a URL (only the path counts) and init. */
  fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    if (this.#closed) throw new Error('the simulator is closed');
    return this.#gateway.fetch(
      input instanceof Request ? input : new Request(new URL(input, 'http://sim.local'), init),
    );
  };

  /**
   * Serves the API on loopback or another host, with the control interface under `/_sim/v1`: without a token
   * on loopback, unless one is given; elsewhere only with a token. Port 0 selects a free port.
   */
  listen(options: ServerOptions & { readonly controlToken?: string } = {}): Promise<RunningServer> {
    return this.#gateway.listen(options);
  }

  /**
   * Serves the chain's JSON-RPC and PubSub on a port and the next one; port 0 selects a free pair. Rejects
   * with Node's error, such as EADDRINUSE.
   */
  async listenRpc(options: ServerOptions = {}): Promise<RunningRpc> {
    this.#local('rpc');
    return this.#gateway.listenRpc(options);
  }

  /** Calls the chain's JSON-RPC in process with a message, single or batch; returns the response, empty for none. */
  async rpc(message: string): Promise<string> {
    const answer = await (await this.#gateway.rpc()).answer(message);
    if (answer.isLost) throw connectionEnded();
    return answer.text;
  }

  /** The current time mode. */
  timeMode(): TimeMode {
    return this.#clock.mode();
  }

  /** The world's current time. */
  now(): Date {
    return new Date(this.#clock.nowMs());
  }

  /** Stops the clock, lets it run, or scales it: `frozen`, `real`, `60x`, or the same as an object. Throws InvalidOptions. */
  setTime(mode: TimeMode | string): void {
    this.#local('time');
    this.#scheduler.setMode(typeof mode === 'string' ? timeMode(mode) : mode);
  }

  /**
   * Advances by a duration (`30d`, `PT1H`, milliseconds), to an instant, or until the first event of a kind (`{ until:
   * 'loan.due', within: '1y' }`), running what falls due on the way, in order. Throws RangeError for an instant in the past or an
   * invalid duration, and EventNotDue, with the clock unmoved, when no `within` is given and no such event comes in ten years.
   * Aborting `signal` stops it at the instant reached, or before it starts; it rejects with the signal's reason.
   */
  async advance(to: Advance, options: AdvanceOptions = {}): Promise<FiredEvent[]> {
    this.#local('time');
    return this.#afterDurable(() => this.#scheduler.advance(to, options));
  }

  /** Takes a snapshot; returns its id for `revert` and `fork`. Waits for calls in progress. */
  async snapshot(): Promise<string> {
    return this.#scheduler.runExclusive(async () => {
      const id = this.#snapshots.keep(await this.#snapshots.capture());
      this.events.append({ kind: 'world', what: 'snapshot', id }, null);
      return id;
    });
  }

  /**
   * Restores a snapshot, by its id or as the one before a request; repeatedly if need be. Throws RangeError, NotFound for unknown ones.
   */
  async revert(to: SnapshotRef): Promise<void> {
    const { id, snapshot, underWay } = this.#instants.resolve(to);
    await this.#scheduler.runExclusive(async () => {
      await this.#snapshots.restore(snapshot);
      if (underWay !== null) await this.bank.resume(underWay);
      this.#durable?.committer.replaced();
      this.events.append({ kind: 'world', what: 'reverted', id }, null);
    });
    await this.whenDurable();
  }

  /** Restores `part`, such as a paywall's storage, with each snapshot of this world; from one without it, to its state of now. */
  attach(part: Snapshotable<unknown>): void {
    this.#snapshots.attach(part);
  }

  /** A page of the requests whose snapshot is kept (option `history`), newest first. Throws RangeError for a bad cursor. */
  history(page?: PageQuery): HistoryPage {
    return this.#instants.history.page(page);
  }

  /**
   * What differs between two instants: `now`, the id of a snapshot or of a fork served beside this world, or a request, for the world before it.
   * Throws RangeError and NotFound for unknown ones.
   */
  compare(from: string, to?: string, limit?: number): Promise<Differences> {
    return this.#instants.compare(from, to, limit);
  }

  /** The ids of all snapshots, oldest first. */
  snapshots(): readonly string[] {
    return this.#snapshots.ids();
  }

  deleteSnapshot(id: string): void {
    this.#snapshots.drop(id);
  }

  /** The whole state of the world as JSON with sorted members (RFC 8785): equal worlds give equal text. */
  async dump(): Promise<string> {
    const { dumpOf } = await import('../persistence/dump.js');
    return this.#scheduler.runExclusive(async () => dumpOf(await this.#snapshots.capture(), this.#oracle));
  }

  /**
   * The world as the bytes of a state file, for another process to resume: `createSimulator({ state })`, `importState`, `sim
   * start --state`. Contains no secret that does not derive from the seed, unless `withKeys` is set. Throws ClusterLimit.
   */
  async exportState(options: { withKeys?: boolean } = {}): Promise<Uint8Array> {
    this.#local('state');
    return (await import('../persistence/state.js')).exportWorld(this.#persisted(), options);
  }

  /**
   * Replaces the world by a state file (its bytes or path), as a revert does. Seed and rules must be the
   * same; engines may differ. Throws StateError, leaving the world unchanged; InvalidOptions, ClusterLimit.
   */
  async importState(state: StateSource): Promise<void> {
    this.#local('state');
    const replaced = () => this.#durable?.committer.replaced();
    await (await import('../persistence/state.js')).importWorld(this.#persisted(), state, replaced);
    await this.whenDurable();
  }

  /**
   * `null` when everything that has happened is durable, as always without `dataDir`; otherwise resolves once
   * it is, or rejects with StorageUnavailable after rolling back to the durable state. Calls over HTTP, of
   * the client and of the RPC wait for it; direct calls of the bank and of synchronous setters do not.
   */
  whenDurable(): Promise<void> | null {
    return this.#durable?.committer.whenDurable() ?? null;
  }

  /** A second world with the state of this one now, at a snapshot, or before a request. They share no mutable state. */
  fork(from?: SnapshotRef): Promise<Simulator> {
    return this.#fork(from, {});
  }

  /**
   * A fork served beside this world: its API under `/w/{id}/api/v1`, its control interface under `/w/{id}/_sim/v1`, its
   * RPC at the path `/w/{id}`. It is closed with this world, or by `dropFork`. Throws RangeError for too many.
   */
  async openFork(snapshot?: SnapshotRef): Promise<{ id: string; fork: Simulator }> {
    const origin = this.#instants.originOf(snapshot);
    const from = snapshot === undefined ? {} : { from: this.#instants.resolve(snapshot).id };
    const { id, made: fork } = await this.#forks.open(
      (mount) => this.#fork(snapshot, { mount, forks: this.#forks }),
      (made) => ({
        parent: mountedAt(this.#mount),
        answer: (request, listener, incoming) => made.#gateway.answer(request, listener, incoming),
        rpc: () => made.#gateway.rpc(),
        now: () => made.#instants.now(origin),
        close: () => made.close(),
      }),
    );
    this.events.append({ kind: 'world', what: 'forked', id, ...from }, null);
    return { id, fork };
  }

  /** The ids of the forks served beside this world. */
  forks(): readonly string[] {
    return this.#forks.ids();
  }

  /** The id of the fork that a fork was made from; null for one that was made from the first world. Throws RangeError for an unknown id. */
  parentOf(id: string): string | null {
    return this.#forks.known(id).parent;
  }

  /** Closes a fork. Throws RangeError for an unknown id. */
  dropFork(id: string): Promise<void> {
    return this.#forks.drop(id);
  }

  /** @internal The prefix of every path; empty except for a fork served by its parent. */
  get mount(): string {
    return this.#mount;
  }

  /** The URL that the chain's RPC is served at; null when it is not. */
  rpcUrl(): string | null {
    return this.#mount === '' ? this.#gateway.rpcUrl : this.#forks.rpcUrl();
  }

  /** A new wallet, determined by the seed and the number of wallets created before. */
  createWallet(): DevWallet {
    return this.funding.create();
  }

  /** A new wallet with SOL and USDC from the faucet, in token units. Throws ChainRefusal, RangeError, ClusterLimit. */
  createFundedWallet(gifts: Partial<Record<Token, number>>, cause?: RequestContext): Promise<DevWallet> {
    return this.#afterDurable(() => this.funding.createFunded(gifts, cause));
  }

  /** The outcome of a request, as text and as events. Null when its events are no longer in memory. */
  explain(requestId: string): Explanation | null {
    return explain(requestId, this.events.ofRequest(requestId));
  }

  /** Appends all events to a file, one JSON object per line, until the world is closed. Throws Node's error. */
  logTo(path: string): void {
    const onError = (error: unknown) =>
      console.error(`agent-bank-sim: the log ${path} cannot be written any more:`, error);
    this.#logFiles.add(new LogFile(this.events, path, onError));
  }

  /**
   * Sends SOL or USDC (of either network's mint) from the faucet, in token units. Throws ChainRefusal when the chain rejects it.
   */
  faucet(
    address: string,
    amount: number,
    token: Token,
    network?: keyof typeof USDC_MINTS,
    cause: RequestContext = NO_REQUEST,
  ): Promise<{ signature: string }> {
    return this.#afterDurable(() => this.funding.give({ address, amount, token, network }, cause));
  }

  readonly oracle: OracleApi;

  /** Credit applications and their review. */
  readonly reviews: LoanDesk;

  /**
   * Writes a wallet's balance directly, in token units, bypassing transaction rules: lamports are created, tokens change the
   * mint's supply. Throws RangeError for non-wallets, and for the bank's own, whose books would no longer match the chain.
   */
  setBalance(address: string, amount: number, token: Token): Promise<void> {
    return this.#afterDurable(() => this.funding.setBalance({ address, amount, token }));
  }

  /** Sets the accounts that a human operator has linked to a wallet. */
  linkIdentity(wallet: string, links: { x: boolean; github: boolean }): void {
    if (!isAddress(wallet)) throw new RangeError(`not a Solana address: ${wallet}`);
    this.bank.credit.linkIdentity({ wallet, ...links });
  }

  /** The bank's current books. */
  readonly books: JournalApi;

  get customers(): CustomersApi {
    return this.#readers.customers;
  }

  /** Figures over time, for charts. */
  get series(): SeriesApi {
    return this.#readers.series;
  }

  /** @internal What x402 payments are checked against. */
  get payments(): PaymentFacts {
    return this.#readers.payments;
  }

  readonly chain: ChainApi;

  /** All invariants violated now; empty when books, chain and limits are sound. Waits for calls in progress. */
  async invariants(): Promise<Violation[]> {
    return this.#scheduler.runExclusive(async () => {
      // A cluster does not tell what a transaction has changed before it is confirmed.
      if (this.config.cluster !== null) await this.bank.settlement.late.askAgain();
      return this.bank.invariants();
    });
  }

  /** Closes the world: stops its servers and returns the engine to its pool. Nothing is left behind. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#scheduler.endWaiting();
    this.eventStreams.close();
    await this.#gateway.close();
    if (this.#mount === '') await this.#forks.dropAll();
    await this.recording.close();
    for (const file of this.#logFiles) file.close();
    await this.#durable?.close();
    const ground = this.#chainSource;
    await this.#scheduler.runExclusive(async () => {
      if (ground instanceof EmbeddedChain) await ground.chain.release();
    });
    this.#snapshots.dropAll();
  }

  /** Returns the result of `work` once its effects are durable. */
  async #afterDurable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.whenDurable();
    }
  }

  #persisted(): PersistedWorld {
    const { config, events, bank } = this;
    const [clock, scheduler, snapshots, secretSeed] = [
      this.#clock,
      this.#scheduler,
      this.#snapshots,
      this.#secretSeed,
    ];
    return { config, events, bank, clock, scheduler, snapshots, secretSeed };
  }

  /** The in-process chain and its faucet. Throws ClusterLimit. */
  #local(what: ConstructorParameters<typeof ClusterLimit>[0]): EmbeddedChain {
    if (this.#chainSource instanceof EmbeddedChain) return this.#chainSource;
    throw new ClusterLimit(what);
  }

  async #fork(from: SnapshotRef | undefined, at: Pick<WorldParts, 'mount' | 'forks'>): Promise<Simulator> {
    if (from === undefined)
      return this.#createFrom(await this.#scheduler.runExclusive(() => this.#snapshots.capture()), at);
    const { snapshot, underWay } = this.#instants.resolve(from);
    const other = await this.#createFrom(snapshot, at);
    if (underWay !== null) await other.bank.resume(underWay);
    return other;
  }

  async #createFrom(snapshot: WorldSnapshot, at: Pick<WorldParts, 'mount' | 'forks'>): Promise<Simulator> {
    const config = { ...this.config, startMs: snapshot.clock.nowMs };
    const other = await Simulator.#start(config, this.#hooks, { secretSeed: this.#secretSeed, ...at });
    await other.#snapshots.restore(snapshot);
    return other;
  }
}

/** Creates a complete world. Several can run side by side. */
export function createSimulator(
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  return Simulator.create(options, hooks);
}
