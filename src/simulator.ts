import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { BankAddresses } from './bank/addresses.js';
import { Bank, type BankMark } from './bank/bank.js';
import { DueRunner, type FiredEvent } from './bank/due.js';
import { Gate } from './bank/gate.js';
import { Chain, type ChainMark } from './chain/chain.js';
import { type Engine, errorText } from './chain/engine.js';
import { startEngine } from './chain/engines/start.js';
import { Faucet } from './chain/faucet.js';
import { setBalance } from './chain/set-balance.js';
import { GENESIS_FUNDS, GENESIS_HASHES, USDC_MINTS, genesisAccounts, memoPrograms } from './chain/genesis.js';
import { AgentClient } from './client/client.js';
import { AgentWallet } from './client/wallet.js';
import { controlObjection, isControl } from './control/door.js';
import { type SimulatorConfig, type SimulatorOptions, resolveConfig, timeMode } from './config.js';
import { sentenceOf } from './domain/errors.js';
import type { Violation } from './domain/invariants.js';
import { isAddress } from './domain/inputs.js';
import { type Token, parseAmount } from './domain/money.js';
import { ok } from './domain/result.js';
import { BASE_PATH } from './contract/endpoints.js';
import { type AnsweredRequest, App } from './http/app.js';
import type { ServiceFacts } from './http/discovery.js';
import { type RunningServer, listen } from './http/server.js';
import { type Advance, jumpTarget } from './library/jump.js';
import { ChainFace } from './library/chain-face.js';
import { OracleFace } from './library/oracle-face.js';
import { ChainRefusal } from './library/refusals.js';
import { ReviewFace } from './library/review-face.js';
import type { AnsweredCall } from './rpc/dispatcher.js';
import type { Rpc } from './rpc/rpc.js';
import type { RunningRpc } from './rpc/server.js';
import { Clock, type ClockMark, type TimeMode } from './world/clock.js';
import { KeyRing } from './world/keys.js';
import { Oracle, type OracleMark } from './world/oracle.js';
import { parseReviewPolicy } from './world/reviewer.js';
import { oracleFeeds } from './world/sources.js';

/** A wallet that is funded when the world begins. */
export interface DevWallet {
  readonly address: string;
  /** base58 of 64 bytes, as Solana wallets import it. */
  readonly secretKey: string;
}

/** How many funded wallets a world has. */
const DEV_WALLETS = 10;

interface Mark {
  readonly bank: BankMark;
  readonly chain: ChainMark;
  readonly clock: ClockMark;
  readonly oracle: OracleMark;
  readonly due: number;
  readonly faucet: number;
}

/** What a host adds to a simulator; none of it belongs to the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredCall) => void;
  /** Told of exceptions, and of the request or RPC method that met them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
}

/** One world: bank, chain, clock, oracle, reviewers. Made by `createSimulator`. */
export class Simulator {
  readonly config: SimulatorConfig;
  /** Ten funded wallets; the same for the same seed. */
  readonly wallets: readonly DevWallet[];
  /** The operations of the service as direct calls. */
  readonly bank: Bank;
  readonly facts: ServiceFacts;
  readonly #hooks: SimulatorHooks;
  readonly #chain: Chain;
  readonly #clock: Clock;
  readonly #oracle: Oracle;
  readonly #due: DueRunner;
  readonly #faucet: Faucet;
  readonly #gate = new Gate();
  readonly #app: App;
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

  private constructor(config: SimulatorConfig, engine: Engine, hooks: SimulatorHooks, secretSeed: string) {
    this.config = config;
    this.#secretSeed = secretSeed;
    this.#hooks = hooks;
    const keys = new KeyRing(config.seed);
    const secrets = new KeyRing(secretSeed);
    const salt = keys.salt('ids');
    const startMs = config.startMs ?? Date.now();
    this.#clock = new Clock({ wall: Date.now, mode: config.time, startMs });
    this.#oracle = new Oracle(oracleFeeds(config.oracle, config.seed, startMs), startMs);
    this.#chain = new Chain({
      engine,
      clock: this.#clock,
      seed: config.seed,
      confirmationSlots: config.confirmationSlots,
    });
    const addresses = new BankAddresses(keys, {
      issuer: secrets.derive('receipt-issuer'),
      network: config.variants.network,
    });
    this.wallets = Array.from({ length: DEV_WALLETS }, (_, at) => {
      const { address, secretKey } = keys.derive(`wallet/${at}`);
      return { address, secretKey };
    });
    this.bank = new Bank({
      constants: {
        salt,
        variants: config.variants,
        treasury: addresses.treasury.address,
        withdrawalDelayMs: config.withdrawalDelayMs,
      },
      chain: this.#chain,
      clock: this.#clock,
      oracle: this.#oracle,
      addresses,
      tokenSecret: secrets.secret('tokens'),
      policy: parseReviewPolicy(config.variants.review),
    });
    this.oracle = new OracleFace(this.#oracle, this.#clock, config.seed);
    this.reviews = new ReviewFace(this.bank);
    this.chain = new ChainFace(this.#chain, {
      usdcMint: addresses.usdcMint,
      inWorld: (work) => this.#inWorld(work),
    });
    this.#due = new DueRunner(this.bank, this.#oracle, startMs);
    this.#faucet = new Faucet(this.#chain, {
      payer: keys.derive('faucet'),
      mintAuthority: keys.derive('mint-authority'),
    });
    this.facts = {
      treasury: addresses.treasury.address,
      usdcMint: addresses.usdcMint,
      network: addresses.caip2,
      issuerPublicKey: addresses.issuer.address,
    };
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
      config.freshSecrets ? randomBytes(32).toString('hex') : config.seed,
    );
  }

  static async #start(
    config: SimulatorConfig,
    hooks: SimulatorHooks,
    secretSeed: string,
  ): Promise<Simulator> {
    const engine = await startEngine(config.engine);
    const simulator = new Simulator(config, engine, hooks, secretSeed);
    const keys = new KeyRing(config.seed);
    const { treasury, protocol, faucet, devWallet } = GENESIS_FUNDS;
    const { addresses } = simulator.bank;
    await simulator.#chain.setAccounts(await memoPrograms((address) => engine.getAccount(address)));
    await simulator.#chain.setAccounts(
      genesisAccounts(keys.derive('mint-authority').address, [
        { address: addresses.treasury.address, ...treasury },
        { address: addresses.protocol.address, ...protocol },
        { address: keys.derive('faucet').address, ...faucet },
        { address: addresses.facilitator.address, ...devWallet },
        ...simulator.wallets.map(({ address }) => ({ address, ...devWallet })),
      ]),
    );
    simulator.bank.open({ USDC: treasury.usdcBase, SOL: treasury.lamports });
    return simulator;
  }

  /** A client in this process for a dev wallet by number, or for any wallet. */
  agent(wallet: number | AgentWallet): AgentClient {
    return new AgentClient({
      baseUrl: `http://sim.local${BASE_PATH}`,
      wallet:
        typeof wallet === 'number' ? AgentWallet.fromSecretKey(this.#devWallet(wallet).secretKey) : wallet,
      fetch: this.fetch,
      chain: this.chain,
    });
  }

  /** The HTTP API in this process: give it a Request, or an address (only the path counts) and init. */
  fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    if (this.#closed) throw new Error('the simulator is closed');
    const request = input instanceof Request ? input : new Request(new URL(input, 'http://sim.local'), init);
    return isControl(request) ? this.#control(request, null) : this.#app.hono.fetch(request);
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
      if (!isControl(request)) return this.#app.hono.fetch(request);
      return controlObjection(request, { host, token }) ?? this.#control(request, token);
    };
    const server = await listen(serve, { host, port: options.port ?? 0 });
    const entry: RunningServer = {
      ...server,
      close: async () => {
        this.#servers.delete(entry);
        await server.close();
      },
    };
    this.#servers.add(entry);
    return entry;
  }

  /**
   * Serves the chain's JSON-RPC and PubSub on a port and the next one; port 0 takes a free pair. Rejects with Node's error, such as
   * EADDRINUSE.
   */
  async listenRpc(options: { host?: string; port?: number } = {}): Promise<RunningRpc> {
    const { listenRpc } = await import('./rpc/server.js');
    const { host = '127.0.0.1', port = 0 } = options;
    const server = await listenRpc(() => this.#rpc ?? this.#theRpc(), { host, port });
    const entry: RunningRpc = {
      ...server,
      close: async () => {
        this.#servers.delete(entry);
        await server.close();
      },
    };
    this.#servers.add(entry);
    return entry;
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
    this.#clock.setMode(typeof mode === 'string' ? timeMode(mode) : mode);
    this.#rpc?.timeMoved();
  }

  /**
   * Jumps forward by a duration (`30d`, `PT1H`, milliseconds), to an instant, or until the first event of a kind (`{ until:
   * 'loan.due', within: '1y' }`; ten years when nothing else is said), running what falls due on the way, in order. Throws
   * RangeError for a jump into the past or a duration that is none.
   */
  async advance(to: Advance): Promise<FiredEvent[]> {
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
    return this.#gate.exclusive(async () => {
      this.#snapshots += 1;
      const id = `snapshot-${this.#snapshots}`;
      this.#marks.set(id, await this.#provedMark());
      return id;
    });
  }

  /** Makes the world what it was at a snapshot. An id can be used again and again. */
  async revert(id: string): Promise<void> {
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
    const parsed = parseAmount(amount, token);
    if (!parsed.ok) throw new RangeError(sentenceOf(parsed.refusal));
    if (!isAddress(address)) throw new RangeError(`not a Solana address: ${address}`);
    const submission = await this.#gate.shared(() =>
      token === 'SOL'
        ? this.#faucet.giveSol(address, parsed.value)
        : this.#faucet.giveTokens(address, USDC_MINTS[network], parsed.value),
    );
    if (submission.kind === 'refused') throw new ChainRefusal(errorText(submission.error));
    return { signature: submission.record.signature };
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
    if (!isAddress(address)) throw new RangeError(`not a Solana address: ${address}`);
    const base = amount === 0 ? ok(0n) : parseAmount(amount, token);
    if (!base.ok) throw new RangeError(sentenceOf(base.refusal));
    if (this.bank.watch.isOurs(address)) {
      throw new RangeError(
        `${address} is the bank's own; send it money instead, so that the books know of it`,
      );
    }
    const { usdcMint: mint } = this.facts;
    await this.#gate.exclusive(async () => {
      const wanted = { address, token, amountBase: base.value, mint };
      await this.#chain.setAccounts(await setBalance((at) => this.#chain.getAccount(at), wanted));
    });
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
      await this.#chain.prove();
      return this.bank.watch.invariants();
    });
  }

  /** Ends the world: servers stop, the engine goes back to its pool. Nothing is left behind. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([...this.#servers].map((server) => server.close()));
    this.#rpc?.close();
    await this.#gate.exclusive(() => this.#chain.release());
    this.#marks.clear();
  }

  #devWallet(at: number): DevWallet {
    const wallet = this.wallets[at];
    if (wallet === undefined)
      throw new RangeError(`there are ${DEV_WALLETS} dev wallets, 0 to ${DEV_WALLETS - 1}`);
    return wallet;
  }

  /** Made for the first who asks: loading it takes time that most library users need not spend. */
  async #theRpc(): Promise<Rpc> {
    if (this.#closed) throw new Error('the simulator is closed');
    const { Rpc: Made } = await import('./rpc/rpc.js');
    this.#rpc ??= new Made({
      chain: this.#chain,
      faucet: this.#faucet,
      genesisHash: GENESIS_HASHES[this.config.variants.network],
      identity: new KeyRing(this.config.seed).derive('validator').address,
      inWorld: (work) => this.#inWorld(work),
      onAnswer: this.#hooks.onRpcAnswer,
      onBug: (error, method) => this.#onBug(error, method),
    });
    return this.#rpc;
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
      const nowMs = this.#clock.nowMs();
      return this.#due.isDue(nowMs) ? this.#due.run(nowMs, () => undefined).then(work) : work();
    });
  }

  #markOf(id: string): Mark {
    const mark = this.#marks.get(id);
    if (mark === undefined) throw new RangeError(`there is no snapshot ${id}`);
    return mark;
  }

  async #provedMark(): Promise<Mark> {
    await this.#chain.prove();
    return this.#mark();
  }

  #mark(): Mark {
    return {
      bank: this.bank.mark(),
      chain: this.#chain.mark(),
      clock: this.#clock.mark(),
      oracle: this.#oracle.mark(),
      due: this.#due.mark(),
      faucet: this.#faucet.mark(),
    };
  }

  async #restore(mark: Mark): Promise<void> {
    this.#clock.restore(mark.clock);
    this.#oracle.restore(mark.oracle);
    this.#due.restore(mark.due);
    this.#faucet.restore(mark.faucet);
    this.bank.restore(mark.bank);
    await this.#chain.restore(mark.chain);
  }
}

/** Makes a world with everything in it. Several live side by side. */
export function createSimulator(
  options: SimulatorOptions = {},
  hooks: SimulatorHooks = {},
): Promise<Simulator> {
  return Simulator.create(options, hooks);
}
