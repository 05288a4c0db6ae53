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

/** What a host adds to a simulator; none of it belongs to the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredCall) => void;
  /** Told of exceptions, and of the request or RPC method that met them: each is a bug of the simulator. */
  readonly onBug?: (error: unknown, where: string) => void;
  /** Told when the data folder cannot be written, when it can be again, what was cut off in it, and of secrets that others may know. */
  readonly onTrouble?: (message: string) => void;
  /** Runs in the middle of the bank's transfers, before each is handed to the chain and after, so that tests can let others come between. */
  readonly aroundTransfer?: () => Promise<void> | void;
  /** Milliseconds of the machine's clock, where a running world is to run by another one. */
  readonly wall?: () => number;
  /** Lets real milliseconds pass, where a running world is not to wait for them. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Says which signatures are right, where others than the keys may sign; those of replays, say. */
  readonly signatures?: SignatureVerifier;
}

/** What of a world its interfaces need. */
export interface ServedWorld extends ControlWorld {
  readonly bank: Bank;
  readonly config: SimulatorConfig;
  readonly facts: ServiceFacts;
  readonly mount: string;
  /** A promise to wait for before an answer is given; null for none. */
  whenDurable(): Promise<void> | null;
  readonly recording: ControlWorld['recording'] & { readonly recorder: RecorderSlot };
}

/** What has request ids of its own: the API, the RPC, the control interface, the facilitator. */
type Numbered = 'req' | 'rpc' | 'ctl' | 'fac';

/** A call of the chain's RPC as an event. */
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

/** Makes what answers requests for a world, and numbers them. */
export class ServerFactory {
  readonly #world: ServedWorld;
  readonly #scheduler: Scheduler;
  readonly #hooks: SimulatorHooks;
  readonly #service: Service;
  readonly #counts = { req: 0, rpc: 0, ctl: 0, fac: 0 };

  constructor(world: ServedWorld, scheduler: Scheduler, hooks: SimulatorHooks) {
    this.#world = world;
    this.#scheduler = scheduler;
    this.#hooks = hooks;
    const { bank, config, facts, faults } = world;
    this.#service = new Service({
      bank,
      variants: config.variants,
      facts,
      faults: faults.rules,
      recorder: world.recording.recorder,
      ...this.#pipeline('req'),
      onAnswer: this.#onAnswer,
      onBug: this.#onBug,
    });
  }

  /** What answers requests on the API's port; `chain` is null on a cluster. */
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

  /** The facilitator of standard x402. */
  facilitator(chain: Chain | null): FacilitatorRoute {
    const { bank, mount } = this.#world;
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
    const { config, facts, mount } = this.#world;
    const rpcUrl = () => {
      const url = this.#world.rpcUrl();
      return url === null ? null : url + mount;
    };
    return new App({ service: this.#service, variants: config.variants, facts, rpcUrl, mount });
  }

  /** The same without HTTP. */
  inProcessApi(): InProcessApi {
    const { config, mount } = this.#world;
    return new InProcessApi(this.#service, { variants: config.variants, mount });
  }

  /** The chain's JSON-RPC. */
  async rpc({ chain, faucet, fates }: EmbeddedChain): Promise<Rpc> {
    const { Rpc: Made } = await import('../api/rpc/rpc.js');
    const { config, faults, events, recording } = this.#world;
    return new Made({
      chain,
      faucet,
      fates,
      limits: config.limits,
      genesisHash: GENESIS_HASHES[config.variants.network],
      identity: new KeyRing(config.seed).derive('validator').address,
      faults: faults.rules,
      recorder: recording.recorder,
      ...this.#pipeline('rpc'),
      isKnown: (error) => error instanceof StorageUnavailable,
      onAnswer: (answered) => {
        events.append(callEvent(answered), answered.requestId);
        this.#hooks.onRpcAnswer?.(answered);
      },
      onBug: this.#onBug,
    });
  }

  /** The control interface for those who have a token; for everybody when it is null. */
  async control(token: string | null): Promise<Hono> {
    const { controlApp } = await import('../api/control/app.js');
    const { bank, config, events, mount, recording } = this.#world;
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
      recorder: recording.recorder,
      lost: () => new LostAnswer(),
      during: (cause, work) => bank.books.during(cause, work),
      onAnswer: (event, requestId) => events.append(event, requestId),
      onBug: this.#onBug,
    });
  }

  /** The answer to a request that was turned away at the door, logged as one of the control interface. */
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
