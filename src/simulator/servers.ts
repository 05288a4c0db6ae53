import type { Faults } from '../runtime/faults/faults.js';
import type { Hono } from 'hono';
import type { Bank } from '../bank/bank.js';
import type { Chain } from '../chain/chain.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import type { SimulatorConfig } from '../runtime/config.js';
import type { Problem } from '../api/control/problems.js';
import type { ControlWorld } from '../api/control/world.js';
import { keptText } from '../core/domain/short-text.js';
import type { RequestEvent } from '../runtime/events/event.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import type { AnsweredRequest } from '../api/http/answered-request.js';
import { LostAnswer, jsonAnswer } from '../api/http/answers.js';
import { App } from '../api/http/app.js';
import { InProcessApi } from '../api/http/in-process.js';
import { Service } from '../api/http/service.js';
import { awaitDurable } from '../api/await-durable.js';
import { StorageUnavailable } from '../core/journal/storage-unavailable.js';
import type { AnsweredCall } from '../api/rpc/dispatcher.js';
import type { Rpc } from '../api/rpc/rpc.js';
import { KeyRing } from '../world/keys.js';
import type { Scheduler } from '../runtime/scheduler.js';
import type { GatewayOptions } from './gateway.js';
import { FacilitatorRoute } from './facilitator-route.js';
import type { EmbeddedChain } from '../runtime/embedded-chain.js';
import type { RecorderSlot } from '../api/recorder-slot.js';

/** Hooks of the host process; not part of the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredCall) => void;
  /** Called with exceptions and the request or RPC method that raised them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
  /** Called when the data folder becomes unwritable or writable, its file was truncated, and for secrets others may know. */
  readonly onTrouble?: (message: string) => void;
  /** Runs before and after each of the bank's transfers is submitted, so that tests can interleave other work. */
  readonly aroundTransfer?: () => Promise<void> | void;
  /** Milliseconds of the clock that drives a running world; the machine's by default. */
  readonly wall?: () => number;
  /** Waits real milliseconds; a timer by default. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Verifies signatures, when other signers than the keys themselves are accepted, as in replays. */
  readonly signatures?: SignatureVerifier;
}

/** The parts of a world that its interfaces use. */
export interface ServedWorld extends ControlWorld {
  readonly bank: Bank;
  readonly config: SimulatorConfig;
  readonly facts: ServiceFacts;
  /** Resolves before a response may be sent; null when there is nothing to wait for. */
  whenDurable(): Promise<void> | null;
}

/** What the interfaces share and users of a world do not reach. */
export interface ServedInternals {
  /** The prefix of every path; empty except for a fork served by its parent. */
  readonly mount: string;
  readonly faults: Faults;
  readonly recorder: RecorderSlot;
}

/** Prefixes of request ids: the API, the RPC, the control interface, the facilitator. */
type Numbered = 'req' | 'rpc' | 'ctl' | 'fac';

/** An RPC call as an event. */
function callEvent({ method, detail, code, message, faults, isLost }: AnsweredCall): RequestEvent {
  return {
    kind: 'request',
    interface: 'rpc',
    method: 'RPC',
    path: method,
    operation: method,
    wallet: null,
    status: isLost ? null : 200,
    code,
    message,
    details: null,
    input: detail,
    faults,
  };
}

/** Creates a world's interfaces and numbers their requests. */
export class ServerFactory {
  readonly #world: ServedWorld;
  readonly #internals: ServedInternals;
  readonly #scheduler: Scheduler;
  readonly #hooks: SimulatorHooks;
  readonly #service: Service;
  readonly #counts = { req: 0, rpc: 0, ctl: 0, fac: 0 };

  constructor(
    world: ServedWorld,
    internals: ServedInternals,
    { scheduler, hooks }: { scheduler: Scheduler; hooks: SimulatorHooks },
  ) {
    this.#world = world;
    this.#internals = internals;
    this.#scheduler = scheduler;
    this.#hooks = hooks;
    const { bank, config, facts } = world;
    this.#service = new Service({
      bank,
      variants: config.variants,
      facts,
      faults: internals.faults,
      recorder: internals.recorder,
      ...this.#pipeline('req'),
      onAnswer: this.#onAnswer,
      onBug: this.#onBug,
    });
  }

  /** The handlers of the API's port; `chain` is null on a cluster. */
  gatewayOptions(
    chain: Chain | null,
  ): Pick<GatewayOptions, 'app' | 'makeControl' | 'facilitator' | 'refused'> {
    return {
      app: this.app(),
      makeControl: (token) => this.control(token),
      refused: (request, problem) => this.#refused(request, problem),
      facilitator: this.facilitator(chain),
    };
  }

  /** The standard x402 facilitator. */
  facilitator(chain: Chain | null): FacilitatorRoute {
    const { bank } = this.#world;
    const { mount } = this.#internals;
    return new FacilitatorRoute({
      chain,
      key: bank.addresses.facilitator,
      mount,
      ...this.#pipeline('fac'),
      onAnswer: this.#onAnswer,
    });
  }

  /** The service's API. */
  app(): App {
    const { config, facts } = this.#world;
    const { mount } = this.#internals;
    const rpcUrl = () => {
      const url = this.#world.rpcUrl();
      return url === null ? null : url + mount;
    };
    return new App({ service: this.#service, variants: config.variants, facts, rpcUrl, mount });
  }

  /** The service's API without HTTP. */
  inProcessApi(): InProcessApi {
    const { config } = this.#world;
    const { mount } = this.#internals;
    return new InProcessApi(this.#service, { variants: config.variants, mount });
  }

  /** The chain's JSON-RPC. */
  async rpc({ chain, faucet, fates }: EmbeddedChain): Promise<Rpc> {
    const { Rpc: Made } = await import('../api/rpc/rpc.js');
    const { config, events } = this.#world;
    return new Made({
      chain,
      faucet,
      fates,
      limits: config.limits,
      genesisHash: GENESIS_HASHES[config.variants.network],
      identity: new KeyRing(config.seed).derive('validator').address,
      faults: this.#internals.faults,
      recorder: this.#internals.recorder,
      ...this.#pipeline('rpc'),
      isKnown: (error) => error instanceof StorageUnavailable,
      onAnswer: (answered) => {
        events.append(callEvent(answered), answered.requestId);
        this.#hooks.onRpcAnswer?.(answered);
      },
      onBug: this.#onBug,
    });
  }

  /** The control interface; requires the token unless it is null. */
  async control(token: string | null): Promise<Hono> {
    const { controlApp } = await import('../api/control/app.js');
    const { bank, config, events } = this.#world;
    const { mount, recorder } = this.#internals;
    const { inWorld, runWithoutCatchUp, newRequestId, awaitDurable: afterDurable } = this.#pipeline('ctl');
    return controlApp({
      world: this.#world,
      limits: config.limits,
      token,
      mount,
      inWorld,
      runWithoutCatchUp,
      newRequestId,
      awaitDurable: afterDurable,
      recorder,
      lost: () => new LostAnswer(),
      during: (cause, work) => bank.books.during(cause, work),
      onAnswer: (event, requestId) => events.append(event, requestId),
      onBug: this.#onBug,
    });
  }

  /** Responds to a request that was not admitted, and logs it as one of the control interface. */
  #refused(
    { method, path }: { readonly method: string; readonly path: string },
    { status, code, message }: Problem,
  ): Response {
    const requestId = this.#newRequestId('ctl');
    const nothing = { operation: null, wallet: null, details: null, input: null, faults: [] };
    this.#world.events.append(
      {
        kind: 'request',
        interface: 'control',
        method,
        path: keptText(path),
        status,
        code,
        message,
        ...nothing,
      },
      requestId,
    );
    return jsonAnswer({ error: message, code, details: {}, requestId }, status, requestId);
  }

  #pipeline(kind: Numbered) {
    return {
      inWorld: <T>(work: () => T | Promise<T>) => this.#scheduler.runShared(work),
      runWithoutCatchUp: <T>(work: () => T | Promise<T>) => this.#scheduler.runWithoutCatchUp(work),
      rollbackCount: () => this.#scheduler.rollbackCount,
      awaitDurable: <T>(work: (isAgain: boolean) => T | Promise<T>, isRead: boolean) =>
        awaitDurable(work, { isRead, whenDurable: () => this.#world.whenDurable() }),
      sleep: (ms: number) => this.#scheduler.sleep(ms),
      whenDurable: (rollbackCount = this.#scheduler.rollbackCount) =>
        rollbackCount === this.#scheduler.rollbackCount
          ? this.#world.whenDurable()
          : Promise.reject(new StorageUnavailable('the disk did not take what was done before')),
      newRequestId: () => this.#newRequestId(kind),
    };
  }

  #newRequestId(kind: Numbered): string {
    this.#counts[kind] += 1;
    return `${kind}_${this.#counts[kind].toString().padStart(8, '0')}`;
  }

  readonly #onAnswer = (answered: AnsweredRequest): void => {
    this.#world.events.append(answered, answered.requestId);
    this.#hooks.onAnswer?.(answered);
  };

  readonly #onBug = (error: unknown, where: string): void => {
    if (this.#hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
    else this.#hooks.onBug(error, where);
  };
}
