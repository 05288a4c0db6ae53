import type { Bank } from '../bank/bank.js';
import { BASE_PATH } from '../contract/endpoints.js';
import type { FiredEvent } from '../runtime/due-runner.js';
import type { USDC_MINTS } from '../chain/genesis.js';
import { AgentClient } from '../sdk/client/client.js';
import { AgentWallet } from '../sdk/client/wallet.js';
import { type SimulatorConfig, type SimulatorOptions, timeMode } from '../runtime/config.js';
import type { RequestContext } from '../core/domain/request-context.js';
import { IN_PROCESS_ORIGIN } from '../core/origins.js';
import type { Violation } from '../core/domain/invariants.js';
import type { Snapshotable } from '../core/snapshot.js';
import type { Token } from '../core/domain/money.js';
import { type Explanation, explain } from '../runtime/events/explain.js';
import { LogFile } from '../runtime/events/log-file.js';
import type { EventLog } from '../runtime/events/log.js';
import type { EventStreams } from '../runtime/events/stream.js';
import { connectionEnded } from '../api/http/answers.js';
import type { InProcessApi } from '../api/http/in-process.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import type { RunningServer } from '../api/server.js';
import type { Advance, AdvanceOptions } from '../runtime/jump-target.js';
import {
  type Composition,
  type Foundation,
  compose,
  openBooks,
  openChain,
  operatorApis,
} from './composition.js';
import { interfacesOf } from './interfaces.js';
import { type StartupState, resolveStartup } from './startup.js';
import type { CustomersApi } from '../runtime/customers-api.js';
import type { JournalApi } from '../runtime/journal-api.js';
import type { SeriesApi } from '../runtime/series-api.js';
import type { ChainApi } from '../runtime/chain-api.js';
import { NOW, type SnapshotRef } from './instants.js';
import type { Gateway, ServerOptions } from './gateway.js';
import type { DurableWorld } from '../persistence/data-folder.js';
import { type DevWallet, devWallet } from '../runtime/dev-wallets.js';
import type { FaultsApi } from '../runtime/faults-api.js';
import { mountedAt } from './forks.js';
import type { SimulatorHooks } from './hooks.js';
import { systemClock } from '../runtime/system-clock.js';
import type { WorldSnapshot } from '../runtime/snapshot-store.js';
import type { Oracle } from '../world/oracle.js';
import { logToOperator } from '../runtime/operator-log.js';
import type { OracleApi } from '../runtime/oracle-api.js';
import type { AccountsApi } from '../runtime/accounts/accounts-api.js';
import type { WalletFunding } from '../runtime/wallet-funding.js';
import type { RecordingSession } from '../recording/recorder/session.js';
import type { StateSource } from '../persistence/state.js';
import { inProcess } from '../runtime/refusals.js';
import type { Differences } from '../runtime/inspection/differences.js';
import type { LoanDesk } from '../runtime/loan-desk.js';
import type { HistoryPage } from '../runtime/request-history.js';
import { type PageQuery, checkInput, flag } from '../runtime/inspection/queries.js';
import type { RunningRpc } from '../api/rpc/server.js';
import { Clock, type TimeMode } from '../world/clock.js';
import { checkAddress } from '../core/domain/inputs.js';

export type { SimulatorHooks };

/** A world: bank, chain, clock, oracle, reviewers. Created by `createSimulator`. */
export class Simulator {
  readonly config: SimulatorConfig;
  /** Ten funded wallets, determined by the seed. Empty on a cluster. */
  readonly wallets: readonly DevWallet[];
  /** @internal The operations of the service without requests around them. */
  readonly bank: Bank;
  readonly facts: ServiceFacts;
  /** The operations with everything that HTTP adds: tokens, validation, idempotency, faults, the log. */
  readonly api: InProcessApi;
  readonly #parts: Composition;
  readonly #gateway: Gateway;
  /** Creates wallets for the world's users, and funds wallets. */
  readonly funding: WalletFunding;
  /** Reads and writes any account of the chain. */
  readonly accounts: AccountsApi;
  /** The world's fault rules. */
  readonly faults: FaultsApi;
  /** Records requests and responses for replay. */
  readonly recording: RecordingSession;
  /** Everything that happens in the world, numbered. */
  readonly events: EventLog;
  readonly eventStreams: EventStreams;
  readonly #logFiles = new Set<LogFile>();
  /** `null` unless `dataDir` is set. */
  #durable: DurableWorld | null = null;
  #closed = false;

  private constructor(foundation: Foundation) {
    const parts = compose(foundation, {
      fork: async () => this.#createFrom(await this.#parts.snapshots.capture(), {}),
      onMoved: () => this.#gateway.readyRpc?.timeMoved(),
      whenDurable: () => this.whenDurable(),
    });
    const apis = operatorApis(parts);
    this.#parts = parts;
    this.config = parts.config;
    this.wallets = parts.wallets;
    this.bank = parts.bank;
    this.facts = parts.facts;
    this.funding = parts.funding;
    this.events = parts.events;
    this.chain = parts.chain;
    this.accounts = apis.accounts;
    this.faults = apis.faults;
    this.recording = apis.recording;
    this.eventStreams = apis.eventStreams;
    this.oracle = apis.oracle;
    this.reviews = apis.reviews;
    this.books = apis.books;
    this.customers = apis.customers;
    this.series = apis.series;
    const { api, gateway } = interfacesOf(this, parts);
    this.api = api;
    this.#gateway = gateway;
  }

  /**
   * Creates a world at genesis, or resumes one from a state file or data folder. Throws InvalidOptions, StateError, DataError.
   */
  static async create(options: SimulatorOptions, hooks: SimulatorHooks = {}): Promise<Simulator> {
    const startup = await resolveStartup(options, hooks.onTrouble);
    const { config, secretSeed } = startup;
    try {
      const simulator = await Simulator.#start(config, hooks, { secretSeed });
      await simulator.#orClose(simulator.#begin(startup));
      return simulator;
    } catch (error) {
      startup.data?.folder.release();
      throw error;
    }
  }

  static async #start(
    config: SimulatorConfig,
    hooks: SimulatorHooks,
    more: Pick<Foundation, 'secretSeed' | 'mount' | 'forks'>,
  ): Promise<Simulator> {
    const { wall = systemClock() } = hooks;
    const clock = new Clock({ wall, mode: config.time, startMs: config.startMs ?? wall() });
    const opened = await openChain(config, hooks, clock);
    const simulator = new Simulator({ config, hooks, clock, ...opened, ...more });
    await simulator.#orClose(openBooks(simulator.#parts));
    return simulator;
  }

  /** Restores the state that the world continues from, and persists the world if it has a data folder. */
  async #begin({ snapshot, isKept, data }: StartupState): Promise<void> {
    if (snapshot !== null) {
      if (isKept) await this.#parts.snapshots.restore(snapshot);
      else await (await import('../persistence/state.js')).restoreProven(this.#parts, snapshot);
      this.events.clear();
    }
    if (data === null) return;
    const { keepWorld } = await import('../persistence/data-folder.js');
    this.#durable = await keepWorld(this.#parts, data, this.#parts.hooks.onTrouble ?? logToOperator);
  }

  /** Closes the world, with its engine, when a part of its start fails. */
  async #orClose(part: Promise<unknown>): Promise<void> {
    try {
      await part;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** An in-process client for a dev wallet by number, or for any wallet. */
  agent(wallet: number | AgentWallet): AgentClient {
    const own =
      typeof wallet === 'number'
        ? AgentWallet.fromSecretKey(devWallet(this.wallets, wallet).secretKey)
        : wallet;
    return new AgentClient({
      baseUrl: `${IN_PROCESS_ORIGIN}${this.#parts.mount}${BASE_PATH}`,
      wallet: own,
      fetch: this.fetch,
      chain: this.chain.connection(),
    });
  }

  /** The HTTP API in process: takes a Request, or a URL (only the path counts) and init. */
  fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    if (this.#closed) throw new Error('the simulator is closed');
    return this.#gateway.fetch(
      input instanceof Request ? input : new Request(new URL(input, IN_PROCESS_ORIGIN), init),
    );
  };

  /**
   * Serves the API on loopback or another host, with the control interface under `/_sim/v1`. The control interface requires a token, except
   * on loopback, where the token is optional. Port 0 selects a free port.
   */
  listen(options: ServerOptions & { readonly controlToken?: string } = {}): Promise<RunningServer> {
    return this.#gateway.listen(options);
  }

  /**
   * Serves the chain's JSON-RPC and PubSub on a port and the next one; port 0 selects a free pair. Rejects
   * with Node's error, such as EADDRINUSE.
   */
  async listenRpc(options: ServerOptions = {}): Promise<RunningRpc> {
    inProcess(this.#parts.embedded, 'rpc');
    return this.#gateway.listenRpc(options);
  }

  /** Calls the chain's JSON-RPC in process with a message, single or batch; returns the response, or an empty string when there is none. */
  async rpc(message: string): Promise<string> {
    const answer = await (await this.#gateway.rpc()).answer(message);
    if (answer.isLost) throw connectionEnded();
    return answer.text;
  }

  timeMode(): TimeMode {
    return this.#parts.clock.mode();
  }

  /** The world's current time. */
  now(): Date {
    return new Date(this.#parts.clock.nowMs());
  }

  /** Stops the clock, runs it in real time, or scales it: `frozen`, `real`, `60x`, or the equivalent object. Throws InvalidOptions. */
  setTime(mode: TimeMode | string): void {
    inProcess(this.#parts.embedded, 'time');
    this.#parts.scheduler.setMode(timeMode(mode));
  }

  /**
   * Advances by a duration (`30d`, `PT1H`, milliseconds), to an instant, or until the first event of a kind (`{ until: 'loan.due', within:
   * '1y' }`), running what falls due on the way, in order. Throws RangeError for an instant in the past or an invalid duration. Throws
   * EventNotDue, with the clock unmoved, when `within` is left out and no such event occurs in ten years. Aborting `signal` stops it at the
   * instant reached, or before it starts; it rejects with the signal's reason.
   */
  async advance(to: Advance, options: AdvanceOptions = {}): Promise<FiredEvent[]> {
    inProcess(this.#parts.embedded, 'time');
    try {
      return await this.#parts.scheduler.advance(to, options);
    } finally {
      await this.whenDurable();
    }
  }

  /** Takes a snapshot; returns its id for `revert` and `fork`. Waits for calls in progress. */
  async snapshot(): Promise<string> {
    return this.#parts.scheduler.runExclusive(async () => {
      const id = this.#parts.snapshots.keep(await this.#parts.snapshots.capture());
      this.events.append({ kind: 'world', what: 'snapshot', id }, null);
      return id;
    });
  }

  /**
   * Restores a snapshot, by its id or by the request that followed it. A snapshot can be restored any number of times. Throws RangeError,
   * and NotFound for an unknown snapshot.
   */
  async revert(to: SnapshotRef): Promise<void> {
    const { id, snapshot, underWay } = this.#parts.instants.resolve(to);
    await this.#parts.scheduler.runExclusive(async () => {
      await this.#parts.snapshots.restore(snapshot);
      if (underWay !== null) await this.bank.resume(underWay);
      this.#durable?.committer.replaced();
      this.#parts.scheduler.rollbackCount += 1;
      this.events.append({ kind: 'world', what: 'reverted', id }, null);
    });
    await this.whenDurable();
  }

  /**
   * Restores `part`, such as a paywall's storage, with each snapshot of this world. A snapshot taken before this call restores the present
   * state of `part`, and so does an import; the rollback of a failed write leaves `part` as it is.
   */
  attach(part: Snapshotable<unknown>): void {
    this.#parts.snapshots.attach(part);
  }

  /** A page of the requests whose snapshot is kept (option `history`), newest first. Throws RangeError for a bad cursor. */
  history(page?: PageQuery): HistoryPage {
    return this.#parts.instants.history.page(page);
  }

  /**
   * The differences between two instants. An instant is `now`, the id of a snapshot or of a served fork, a world, such as a fork, or a
   * request, for the world before it. Throws RangeError, and NotFound for an unknown instant.
   */
  compare(from: string | Simulator, to: string | Simulator = NOW, limit?: number): Promise<Differences> {
    const of = (which: string | Simulator) => (which instanceof Simulator ? which.#parts.instants : which);
    return this.#parts.instants.compare(of(from), of(to), limit);
  }

  /** The ids of all snapshots, oldest first. */
  snapshots(): readonly string[] {
    return this.#parts.snapshots.ids();
  }

  deleteSnapshot(id: string): void {
    this.#parts.snapshots.drop(id);
  }

  /** @internal For tests: reads the whole world at one instant. */
  async capture<T>(read: (snapshot: WorldSnapshot, oracle: Oracle) => T): Promise<T> {
    const { scheduler, snapshots, oracle } = this.#parts;
    return scheduler.runExclusiveAfterOverdue(async () => read(await snapshots.capture(), oracle));
  }

  /**
   * The world as the bytes of a state file, for another process to resume: `createSimulator({ state })`, `importState`, `sim start
   * --state`. Secrets that do not derive from the seed are left out unless `withKeys` is set. Throws ClusterLimit.
   */
  async exportState(options: { withKeys?: boolean } = {}): Promise<Uint8Array> {
    inProcess(this.#parts.embedded, 'state');
    return (await import('../persistence/state.js')).exportWorld(this.#parts, options);
  }

  /**
   * Replaces the world by a state file (its bytes or path), as a revert does. Seed and rules must be equal; engines may differ. Throws
   * StateError, leaving the world unchanged; InvalidOptions, ClusterLimit.
   */
  async importState(state: StateSource): Promise<void> {
    inProcess(this.#parts.embedded, 'state');
    const replaced = () => this.#durable?.committer.replaced();
    await (await import('../persistence/state.js')).importWorld(this.#parts, state, replaced);
    await this.whenDurable();
  }

  /**
   * `null` when every change is durable, which is always so without `dataDir`. Otherwise resolves once they are durable, or rejects with
   * StorageUnavailable after rolling back to the durable state. Calls over HTTP, by the client and by the RPC wait for it; direct calls of
   * the bank and synchronous setters do not.
   */
  whenDurable(): Promise<void> | null {
    return this.#durable?.committer.whenDurable() ?? null;
  }

  /** A second world with this world's state: at present, at a snapshot, or before a request. The two share no mutable state. */
  fork(from?: SnapshotRef): Promise<Simulator> {
    return this.#fork(from, {});
  }

  /**
   * A fork served beside this world: its API under `/w/{id}/api/v1`, its control interface under `/w/{id}/_sim/v1`, its RPC at the path
   * `/w/{id}`. It is closed with this world, or by `dropFork`. Throws RangeError when there are too many.
   */
  async openFork(snapshot?: SnapshotRef): Promise<{ id: string; fork: Simulator }> {
    const from = snapshot === undefined ? {} : { from: this.#parts.instants.resolve(snapshot).id };
    const { id, made: fork } = await this.#parts.forks.open(
      (mount) => this.#fork(snapshot, { mount, forks: this.#parts.forks }),
      (made) => ({
        parent: mountedAt(this.#parts.mount),
        answer: (request, listener, incoming) => made.#gateway.answer(request, listener, incoming),
        rpc: () => made.#gateway.rpc(),
        now: () => made.#parts.instants.now(),
        close: () => made.close(),
      }),
    );
    this.events.append({ kind: 'world', what: 'forked', id, ...from }, null);
    return { id, fork };
  }

  /** The ids of the forks served beside this world. */
  forks(): readonly string[] {
    return this.#parts.forks.ids();
  }

  /** The id of the fork that a fork was made from; null for a fork of the first world. Throws RangeError for an unknown id. */
  parentOf(id: string): string | null {
    return this.#parts.forks.known(id).parent;
  }

  /** Closes a fork. Throws RangeError for an unknown id. */
  dropFork(id: string): Promise<void> {
    return this.#parts.forks.drop(id);
  }

  /** @internal The prefix of every path; empty except for a fork served by its parent. */
  get mount(): string {
    return this.#parts.mount;
  }

  /** The URL of the chain's RPC; null when it is not served. */
  rpcUrl(): string | null {
    return this.#parts.forks.rpcUrl;
  }

  /** A new wallet, determined by the seed and the number of wallets created before. */
  createWallet(): DevWallet {
    return this.funding.create();
  }

  /** A new wallet with SOL and USDC from the faucet, in token units. Throws ChainRefusal, RangeError, ClusterLimit. */
  createFundedWallet(gifts: Partial<Record<Token, number>>, cause?: RequestContext): Promise<DevWallet> {
    return this.funding.createFunded(gifts, cause);
  }

  /** The outcome of a request, as text and as events. Null when its events are no longer in memory. */
  explain(requestId: string): Explanation | null {
    return explain(requestId, this.events);
  }

  /** Appends all events to a file, one JSON object per line, until the world is closed. Throws Node's error. */
  logTo(path: string): void {
    const onError = (error: unknown) =>
      console.error(`agent-bank-sim: the log ${path} can no longer be written:`, error);
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
    cause?: RequestContext,
  ): Promise<{ signature: string }> {
    return this.funding.give({ address, amount, token, network }, cause);
  }

  readonly oracle: OracleApi;

  /** Credit applications and their review. */
  readonly reviews: LoanDesk;

  /**
   * Writes a wallet's balance directly, in token units, bypassing transaction rules: lamports are created, tokens change the mint's supply.
   * Throws RangeError for addresses that are not wallets, and for the bank's own wallets, since the books would no longer match the chain.
   */
  setBalance(address: string, amount: number, token: Token): Promise<void> {
    return this.funding.setBalance({ address, amount, token });
  }

  /** Sets the operator accounts that are linked to a wallet. */
  async linkIdentity(
    wallet: string,
    links: { x: boolean; github: boolean },
    cause?: RequestContext,
  ): Promise<void> {
    checkAddress(wallet);
    checkInput(links, { x: flag, github: flag }, [], 'account');
    await this.#parts.scheduler.runAsOperator(
      () => this.bank.linkIdentity({ wallet, ...links }, cause),
      cause,
    );
  }

  /** The bank's current books. */
  readonly books: JournalApi;

  readonly customers: CustomersApi;

  /** Figures over time, for charts. */
  readonly series: SeriesApi;

  readonly chain: ChainApi;

  /** All invariants violated now; empty when books, chain and limits are sound. Waits for calls in progress. */
  async invariants(): Promise<Violation[]> {
    return this.#parts.scheduler.runExclusive(async () => {
      // A cluster does not tell what a transaction has changed before it is confirmed.
      if (this.#parts.embedded === null) await this.bank.settlement.late.askAgain();
      return this.bank.invariants();
    });
  }

  /** Closes the world: stops its servers and returns the engine to its pool. Leaves no timer, server or engine behind. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#parts.scheduler.endWaiting();
    this.eventStreams.close();
    await this.#gateway.close();
    if (this.#parts.mount === '') await this.#parts.forks.dropAll();
    await this.recording.close();
    for (const file of this.#logFiles) file.close();
    await this.#durable?.close();
    const { embedded, scheduler } = this.#parts;
    await scheduler.runExclusive(async () => embedded?.chain.release());
    this.#parts.snapshots.dropAll();
  }

  async #fork(from: SnapshotRef | undefined, at: Pick<Foundation, 'mount' | 'forks'>): Promise<Simulator> {
    const { instants, scheduler, snapshots } = this.#parts;
    const present = async () => ({ snapshot: await snapshots.capture(), underWay: null });
    const { snapshot, underWay } =
      from === undefined ? await scheduler.runExclusive(present) : instants.resolve(from);
    const origin = instants.originOf(from);
    const other = await this.#createFrom(snapshot, at);
    other.#parts.instants.origin = origin;
    if (underWay !== null) await other.#orClose(other.bank.resume(underWay));
    return other;
  }

  async #createFrom(snapshot: WorldSnapshot, at: Pick<Foundation, 'mount' | 'forks'>): Promise<Simulator> {
    const config = { ...this.config, startMs: snapshot.clock.nowMs };
    const { secretSeed, hooks } = this.#parts;
    const other = await Simulator.#start(config, hooks, { secretSeed, ...at });
    await other.#orClose(other.#parts.snapshots.restore(snapshot));
    other.events.clear();
    return other;
  }
}

/** Creates a world. Any number of worlds can run in one process. */
export function createSimulator(
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  return Simulator.create(options, hooks);
}
