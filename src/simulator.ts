import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { BankAddresses } from './bank/addresses.js';
import { Bank, type BankMark } from './bank/bank.js';
import { DueRunner, type FiredEvent } from './bank/due.js';
import { Gate } from './bank/gate.js';
import type { ClusterChain } from './chain/cluster/cluster-chain.js';
import { GENESIS_HASHES, USDC_MINTS } from './chain/genesis.js';
import { LocalBankChain } from './chain/local-bank-chain.js';
import { AgentClient } from './client/client.js';
import { AgentWallet } from './client/wallet.js';
import { controlObjection, isControl } from './control/door.js';
import {
  type EmbeddedEngineName,
  type SimulatorConfig,
  type SimulatorOptions,
  resolveConfig,
  timeMode,
} from './config.js';
import type { Violation } from './domain/invariants.js';
import { isAddress } from './domain/inputs.js';
import type { Token } from './domain/money.js';
import { BASE_PATH } from './contract/endpoints.js';
import { type AnsweredRequest, App } from './http/app.js';
import type { ServiceFacts } from './http/discovery.js';
import { type RunningServer, listen } from './http/server.js';
import { type Advance, jumpTarget } from './library/jump.js';
import { ChainFace } from './library/chain-face.js';
import { type DevWallet, devWallet, devWallets } from './library/dev-wallets.js';
import { FacilitatorDoor, isFacilitator } from './library/facilitator-door.js';
import { type GroundMark, LocalGround } from './library/local-ground.js';
import { OracleFace } from './library/oracle-face.js';
import { ClusterLimit } from './library/refusals.js';
import { ReviewFace } from './library/review-face.js';
import type { AnsweredCall } from './rpc/dispatcher.js';
import type { Rpc } from './rpc/rpc.js';
import type { RunningRpc } from './rpc/server.js';
import { Clock, type ClockMark, type TimeMode } from './world/clock.js';
import { KeyRing } from './world/keys.js';
import { Oracle, type OracleMark } from './world/oracle.js';
import { parseReviewPolicy } from './world/reviewer.js';
import { oracleFeeds } from './world/sources.js';

interface Mark {
  readonly bank: BankMark;
  readonly ground: GroundMark;
  readonly clock: ClockMark;
  readonly oracle: OracleMark;
  readonly due: number;
}

/** What a host adds to a simulator; none of it belongs to the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredCall) => void;
  /** Told of exceptions, and of the request or RPC method that met them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
}

/** What a world is made of that has to be started first. */
interface Beginning {
  readonly config: SimulatorConfig;
  readonly hooks: SimulatorHooks;
  readonly secretSeed: string;
  readonly clock: Clock;
  readonly ground: LocalGround | ClusterChain;
}

/** Of every key of a world. On a cluster others are about, so nobody may know them who has not the treasury's. */
function keySeed({ seed, cluster }: SimulatorConfig): string {
  return cluster === null ? seed : `${seed}/${cluster.treasury.secretKey}`;
}

/** One world: bank, chain, clock, oracle, reviewers. Made by `createSimulator`. */
export class Simulator {
  readonly config: SimulatorConfig;
  /** Ten funded wallets; the same for the same seed. None on a cluster. */
  readonly wallets: readonly DevWallet[];
  /** The operations of the service as direct calls. */
  readonly bank: Bank;
  readonly facts: ServiceFacts;
  readonly #hooks: SimulatorHooks;
  readonly #ground: LocalGround | ClusterChain;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #due: DueRunner;
  readonly #gate = new Gate();
  readonly #app: App;
  readonly #facilitator: FacilitatorDoor;
  readonly #marks = new Map<string, Mark>();
  readonly #servers = new Set<{ close(): Promise<void> }>();
  #rpc: Rpc | null = null;
  /** The control interface by the token that it asks for. */
  readonly #controls = new Map<string | null, Hono>();
  /** Seeds the secrets of tokens and receipts; the seed itself unless they are to be fresh. */
  readonly #secretSeed: string;
  #requests = 0;
  #snapshots = 0;
  #closed = false;

  private constructor({ config, hooks, secretSeed, clock, ground }: Beginning) {
    this.config = config;
    this.#secretSeed = secretSeed;
    this.#hooks = hooks;
    const keys = new KeyRing(keySeed(config));
    const secrets = new KeyRing(secretSeed);
    const salt = keys.salt('ids');
    const startMs = clock.nowMs();
    this.#clock = clock;
    this.#oracle = new Oracle(oracleFeeds(config.oracle, config.seed, startMs), startMs);
    this.#ground = ground;
    const chain = ground instanceof LocalGround ? ground.chain : ground;
    const addresses = new BankAddresses(keys, {
      issuer: secrets.derive('receipt-issuer'),
      network: config.variants.network,
      treasury: config.cluster?.treasury,
      usdcMint: config.cluster?.usdcMint ?? undefined,
    });
    this.wallets = config.cluster === null ? devWallets(keys) : [];
    this.bank = new Bank({
      constants: {
        salt,
        variants: config.variants,
        treasury: addresses.treasury.address,
        withdrawalDelayMs: config.withdrawalDelayMs,
      },
      chain: ground instanceof LocalGround ? new LocalBankChain(ground.chain, ground.fates) : ground,
      clock: this.#clock,
      oracle: this.#oracle,
      addresses,
      tokenSecret: secrets.secret('tokens'),
      policy: parseReviewPolicy(config.variants.review),
    });
    this.oracle = new OracleFace(this.#oracle, this.#clock, config.seed);
    this.reviews = new ReviewFace(this.bank);
    this.chain = new ChainFace(chain, {
      usdcMint: addresses.usdcMint,
      inWorld: (work) => this.#inWorld(work),
    });
    this.#due = new DueRunner(this.bank, this.#oracle, startMs);
    this.facts = {
      treasury: addresses.treasury.address,
      usdcMint: addresses.usdcMint,
      network: addresses.caip2,
      issuerPublicKey: addresses.issuer.address,
    };
    this.#facilitator = new FacilitatorDoor({
      chain: ground instanceof LocalGround ? ground.chain : null,
      key: addresses.facilitator,
      inWorld: (work) => this.#inWorld(work),
      onAnswer: hooks.onAnswer,
    });
    this.#app = new App({
      bank: this.bank,
      variants: config.variants,
      facts: this.facts,
      inWorld: (work) => this.#inWorld(work),
      newRequestId: () => {
        this.#requests += 1;
        return `req_${this.#requests.toString().padStart(8, '0')}`;
      },
      onAnswer: hooks.onAnswer,
      onBug: (error, requestId) => this.#onBug(error, requestId),
    });
  }

  /** Makes a world and its genesis. Throws InvalidOptions. */
  static async create(options: SimulatorOptions, hooks: SimulatorHooks = {}): Promise<Simulator> {
    const config = resolveConfig(options);
    return Simulator.#start(
      config,
      hooks,
      config.freshSecrets ? randomBytes(32).toString('hex') : keySeed(config),
    );
  }

  static async #start(
    config: SimulatorConfig,
    hooks: SimulatorHooks,
    secretSeed: string,
  ): Promise<Simulator> {
    const { cluster, engine, variants } = config;
    const startMs = config.startMs ?? Date.now();
    const clock = new Clock({ wall: Date.now, mode: config.time, startMs });
    const base = { config, hooks, secretSeed, clock };
    if (cluster !== null) {
      const { openCluster, openTreasury } = await import('./library/cluster-ground.js');
      const onCluster = new Simulator({ ...base, ground: await openCluster(cluster, variants.network) });
      onCluster.bank.open(await openTreasury(onCluster.bank));
      return onCluster;
    }
    const ground = await LocalGround.start(engine as EmbeddedEngineName, config, clock);
    const simulator = new Simulator({ ...base, ground });
    simulator.bank.open(await ground.begin(simulator.bank.addresses, simulator.wallets));
    return simulator;
  }

  /** A client in this process for a dev wallet by number, or for any wallet. */
  agent(wallet: number | AgentWallet): AgentClient {
    return new AgentClient({
      baseUrl: `http://sim.local${BASE_PATH}`,
      wallet:
        typeof wallet === 'number'
          ? AgentWallet.fromSecretKey(devWallet(this.wallets, wallet).secretKey)
          : wallet,
      fetch: this.fetch,
      chain: this.chain.connection(),
    });
  }

  /** The HTTP API in this process: give it a Request, or an address (only the path counts) and init. */
  fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    if (this.#closed) throw new Error('the simulator is closed');
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://sim.local'), init);
    return isControl(request) ? this.#control(request, null) : this.#serve(request);
  };

  /**
   * Serves the API on loopback or another host, and with it the control interface under `/_sim/v1`: to everybody on loopback,
   * elsewhere or when a token is given to those who have it. Port 0 takes a free one.
   */
  async listen(
    options: { host?: string; port?: number; controlToken?: string } = {},
  ): Promise<RunningServer> {
    const host = options.host ?? '127.0.0.1';
    const token = options.controlToken ?? null;
    const serve = (request: Request): Response | Promise<Response> => {
      if (!isControl(request)) return this.#serve(request);
      return controlObjection(request, { host, token }) ?? this.#control(request, token);
    };
    return this.#keep(await listen(serve, { host, port: options.port ?? 0 }));
  }

  /**
   * Serves the chain's JSON-RPC and PubSub on a port and the next one; port 0 takes a free pair. Rejects with Node's error, such as
   * EADDRINUSE.
   */
  async listenRpc(options: { host?: string; port?: number } = {}): Promise<RunningRpc> {
    const { listenRpc } = await import('./rpc/server.js');
    this.#local('rpc');
    const { host = '127.0.0.1', port = 0 } = options;
    return this.#keep(await listenRpc(() => this.#rpc ?? this.#theRpc(), { host, port }));
  }

  /** The chain's JSON-RPC in this process: the answer to a message, single or batch; empty for none. */
  async rpc(message: string): Promise<string> {
    return (await this.#theRpc()).answer(message);
  }

  /** How time moves. */
  timeMode(): TimeMode {
    return this.#clock.mode();
  }

  /** The world's time. */
  now(): Date {
    return new Date(this.#clock.nowMs());
  }

  /** Stops the clock, lets it run, or scales it: `frozen`, `real`, `60x`, or the same as an object. Throws InvalidOptions. */
  setTime(mode: TimeMode | string): void {
    this.#local('time');
    this.#clock.setMode(typeof mode === 'string' ? timeMode(mode) : mode);
    this.#rpc?.timeMoved();
  }

  /**
   * Jumps forward by a duration (`30d`, `PT1H`, milliseconds), to an instant, or until the first event of a kind (`{ until:
   * 'loan.due', within: '1y' }`; ten years when nothing else is said), running what falls due on the way, in order. Throws
   * RangeError for a jump into the past or a duration that is none.
   */
  async advance(to: Advance): Promise<FiredEvent[]> {
    this.#local('time');
    const stopAt = typeof to === 'object' && 'until' in to ? to.until : undefined;
    return this.#gate.exclusive(async () => {
      const targetMs = jumpTarget(to, this.#clock.nowMs());
      const moveTo = (atMs: number) => {
        if (atMs > this.#clock.nowMs()) this.#clock.jumpTo(atMs);
      };
      const fired = await this.#due.run(targetMs, moveTo, stopAt);
      if (stopAt === undefined || fired.every(({ kind }) => kind !== stopAt)) moveTo(targetMs);
      this.#rpc?.timeMoved();
      return fired;
    });
  }

  /** Remembers the world as it is; gives an id for `revert` and `fork`. Waits for calls that are under way. */
  async snapshot(): Promise<string> {
    this.#local('snapshot');
    return this.#gate.exclusive(async () => {
      this.#snapshots += 1;
      const id = `snapshot-${this.#snapshots}`;
      this.#marks.set(id, await this.#provedMark());
      return id;
    });
  }

  /** Makes the world what it was at a snapshot. An id can be used again and again. */
  async revert(id: string): Promise<void> {
    this.#local('snapshot');
    const mark = this.#markOf(id);
    await this.#gate.exclusive(() => this.#restore(mark));
  }

  /** The ids of all snapshots, oldest first. */
  snapshots(): readonly string[] {
    return [...this.#marks.keys()];
  }

  /** Forgets a snapshot. */
  drop(id: string): void {
    this.#marks.delete(id);
  }

  /** A second world that begins as this one is now, or was at a snapshot. They share nothing that changes. */
  async fork(id?: string): Promise<Simulator> {
    this.#local('snapshot');
    const mark = id === undefined ? await this.#gate.exclusive(() => this.#provedMark()) : this.#markOf(id);
    const other = await Simulator.#start(
      { ...this.config, startMs: mark.clock.nowMs },
      this.#hooks,
      this.#secretSeed,
    );
    await other.#restore(mark);
    return other;
  }

  /** Gives a wallet SOL or USDC (of either network's mint), in token units. Throws ChainRefusal when the chain turns it down. */
  async faucet(
    address: string,
    amount: number,
    token: Token,
    network: keyof typeof USDC_MINTS = this.config.variants.network,
  ): Promise<{ signature: string }> {
    const local = this.#local('faucet');
    const gift = { address, amount, token, mint: USDC_MINTS[network] };
    return this.#gate.shared(() => local.give(gift));
  }

  /** Rates and prices. */
  readonly oracle: OracleFace;

  /** Applications for credit and who decides them. */
  readonly reviews: ReviewFace;

  /**
   * Sets what a wallet holds on chain, in token units, past all rules: lamports come from nowhere, tokens change the mint's supply.
   * Throws RangeError for the bank's own addresses, whose books would no longer equal the chain.
   */
  async setBalance(address: string, amount: number, token: Token): Promise<void> {
    const local = this.#local('account');
    if (this.bank.watch.isOurs(address)) {
      throw new RangeError(
        `${address} is the bank's own; send it money instead, so that the books know of it`,
      );
    }
    const wanted = { address, amount, token, mint: this.facts.usdcMint };
    await this.#gate.exclusive(() => local.setBalance(wanted));
  }

  /** Says which accounts a human operator has linked to a wallet. */
  linkIdentity(wallet: string, links: { x: boolean; github: boolean }): void {
    if (!isAddress(wallet)) throw new RangeError(`not a Solana address: ${wallet}`);
    this.bank.credit.linkIdentity({ wallet, ...links });
  }

  /** The chain that the bank runs on. */
  readonly chain: ChainFace;

  /** Every rule that does not hold now; empty when books, chain and limits are sound. Waits for calls under way. */
  async invariants(): Promise<Violation[]> {
    return this.#gate.exclusive(async () => {
      return this.bank.invariants();
    });
  }

  /** Ends the world: servers stop, the engine goes back to its pool. Nothing is left behind. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#servers].map((server) => server.close()));
    this.#rpc?.close();
    const ground = this.#ground;
    await this.#gate.exclusive(async () => {
      if (ground instanceof LocalGround) await ground.chain.release();
    });
    this.#marks.clear();
  }

  /** Closes a server with the world, if nobody has closed it before. */
  #keep<T extends { close(): Promise<void> }>(server: T): T {
    const entry = {
      ...server,
      close: async () => {
        this.#servers.delete(entry);
        await server.close();
      },
    };
    this.#servers.add(entry);
    return entry;
  }

  /** The chain in this process and its faucet. Throws ClusterLimit. */
  #local(what: ConstructorParameters<typeof ClusterLimit>[0]): LocalGround {
    if (this.#ground instanceof LocalGround) return this.#ground;
    throw new ClusterLimit(what);
  }

  /** Made for the first who asks: loading it takes time that most library users need not spend. */
  async #theRpc(): Promise<Rpc> {
    if (this.#closed) throw new Error('the simulator is closed');
    const { Rpc: Made } = await import('./rpc/rpc.js');
    const { chain, faucet } = this.#local('rpc');
    this.#rpc ??= new Made({
      chain,
      faucet,
      genesisHash: GENESIS_HASHES[this.config.variants.network],
      identity: new KeyRing(this.config.seed).derive('validator').address,
      inWorld: (work) => this.#inWorld(work),
      onAnswer: this.#hooks.onRpcAnswer,
      onBug: (error, method) => this.#onBug(error, method),
    });
    return this.#rpc;
  }

  #serve(request: Request): Response | Promise<Response> {
    return isFacilitator(request) ? this.#facilitator.answer(request) : this.#app.hono.fetch(request);
  }

  /** The control interface; loaded for the first who asks. */
  async #control(request: Request, token: string | null): Promise<Response> {
    const { controlApp } = await import('./control/app.js');
    const app =
      this.#controls.get(token) ??
      controlApp({
        world: this,
        token,
        inWorld: (work) => this.#inWorld(work),
        onBug: (error, where) => this.#onBug(error, where),
      });
    this.#controls.set(token, app);
    return app.fetch(request);
  }

  #onBug(error: unknown, where: string): void {
    if (this.#hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
    else this.#hooks.onBug(error, where);
  }

  #inWorld<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#gate.shared(() => {
      const { late } = this.bank.settlement;
      if (late.size > 0) return late.askAgain().then(() => this.#afterDue(work));
      return this.#afterDue(work);
    });
  }

  #afterDue<T>(work: () => T | Promise<T>): T | Promise<T> {
    const nowMs = this.#clock.nowMs();
    return this.#due.isDue(nowMs) ? this.#due.run(nowMs, () => undefined).then(work) : work();
  }

  #markOf(id: string): Mark {
    const mark = this.#marks.get(id);
    if (mark === undefined) throw new RangeError(`there is no snapshot ${id}`);
    return mark;
  }

  async #provedMark(): Promise<Mark> {
    const ground = this.#local('snapshot');
    await ground.chain.prove();
    return {
      bank: this.bank.mark(),
      ground: ground.mark(),
      clock: this.#clock.mark(),
      oracle: this.#oracle.mark(),
      due: this.#due.mark(),
    };
  }

  async #restore(mark: Mark): Promise<void> {
    this.#clock.restore(mark.clock);
    this.#oracle.restore(mark.oracle);
    this.#due.restore(mark.due);
    this.bank.restore(mark.bank);
    await this.#local('snapshot').restore(mark.ground);
  }
}

/** Makes a world with everything in it. Several live side by side. */
export function createSimulator(
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  return Simulator.create(options, hooks);
}
