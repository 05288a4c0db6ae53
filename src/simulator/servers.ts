import type { FaultReport, Faults } from '../runtime/faults/faults.js';
import type { Hono } from 'hono';
import type { Bank } from '../bank/bank.js';
import type { Chain } from '../chain/chain.js';
import type { SignatureVerifier } from '../chain/signatures.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import type { SimulatorConfig } from '../runtime/config.js';
import type { Problem } from '../api/control/problems.js';
import type { ControlWorld } from '../api/control/world.js';
import { keptText } from '../core/domain/short-text.js';
import type { ServiceFacts } from '../api/http/discovery.js';
import { type AnsweredRequest, PendingRequest, type RequestRecord } from '../api/pipeline/pending-request.js';
import { RequestPipeline } from '../api/pipeline/pipeline.js';
import { jsonAnswer } from '../api/http/answers.js';
import { App } from '../api/http/app.js';
import { InProcessApi } from '../api/http/in-process.js';
import { Service } from '../api/http/service.js';
import type { Rpc } from '../api/rpc/rpc.js';
import { KeyRing } from '../world/keys.js';
import type { Scheduler } from '../runtime/scheduler.js';
import type { GatewayOptions } from './gateway.js';
import { FacilitatorRoute } from './facilitator-route.js';
import type { EmbeddedChain } from '../runtime/embedded-chain.js';
import type { RecorderSlot } from '../api/pipeline/recorder-port.js';

/** Hooks of the host process; not part of the world. */
export interface SimulatorHooks {
  readonly onAnswer?: (answered: AnsweredRequest) => void;
  readonly onRpcAnswer?: (answered: AnsweredRpcCall) => void;
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

/** An answered RPC call, for logs. */
export interface AnsweredRpcCall {
  /** Shared by the calls of a batch. */
  readonly requestId: string;
  readonly method: string;
  /** Faults injected into it. */
  readonly faults: readonly FaultReport[];
  /** Whether a fault has lost its response. */
  readonly isLost: boolean;
  /** The result, when it is a string such as a signature; null otherwise. */
  readonly detail: string | null;
  /** The code of the JSON-RPC error; null for a result. */
  readonly code: number | null;
  readonly message: string | null;
  readonly ms: number;
}

function rpcCallOf({
  requestId,
  path,
  faults,
  status,
  input,
  code,
  message,
  ms,
}: RequestRecord): AnsweredRpcCall {
  const [detail, number] = [input as string | null, code as number | null];
  return { requestId, method: path, faults, isLost: status === null, detail, code: number, message, ms };
}

/** Creates a world's interfaces and numbers their requests. */
export class ServerFactory {
  readonly #world: ServedWorld;
  readonly #internals: ServedInternals;
  readonly #scheduler: Scheduler;
  readonly #service: Service;
  readonly #pipeline: RequestPipeline;

  constructor(
    world: ServedWorld,
    internals: ServedInternals,
    { scheduler, hooks }: { scheduler: Scheduler; hooks: SimulatorHooks },
  ) {
    this.#world = world;
    this.#internals = internals;
    this.#scheduler = scheduler;
    const { bank, config, events, facts } = world;
    this.#pipeline = new RequestPipeline({
      scheduler,
      faults: internals.faults,
      recorder: internals.recorder,
      whenDurable: () => world.whenDurable(),
      onAnswer: (record) => {
        events.append(record, record.requestId);
        if (record.interface === 'api') hooks.onAnswer?.(record as AnsweredRequest);
        else if (record.interface === 'rpc') hooks.onRpcAnswer?.(rpcCallOf(record));
      },
      onBug: (error, where) => {
        if (hooks.onBug === undefined) console.error(`agent-bank-sim: bug in ${where}:`, error);
        else hooks.onBug(error, where);
      },
    });
    this.#service = new Service({ bank, variants: config.variants, facts, pipeline: this.#pipeline });
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
      inWorld: (work) => this.#scheduler.runShared(work),
      pipeline: this.#pipeline,
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
    const { config } = this.#world;
    const world = {
      chain,
      faucet,
      fates,
      limits: config.limits,
      genesisHash: GENESIS_HASHES[config.variants.network],
      identity: new KeyRing(config.seed).derive('validator').address,
    };
    return new Made(world, this.#pipeline);
  }

  /** The control interface; requires the token unless it is null. */
  async control(token: string | null): Promise<Hono> {
    const { controlApp } = await import('../api/control/app.js');
    const { bank, config } = this.#world;
    return controlApp({
      world: this.#world,
      limits: config.limits,
      token,
      mount: this.#internals.mount,
      during: (cause, work) => bank.books.during(cause, work),
      pipeline: this.#pipeline,
    });
  }

  /** Responds to a request that was not admitted, and logs it as one of the control interface. */
  #refused(
    { method, path }: { readonly method: string; readonly path: string },
    { status, code, message }: Problem,
  ): Response {
    const requestId = this.#pipeline.newRequestId('ctl');
    const pending = new PendingRequest({ requestId, interface: 'control', method, path: keptText(path) });
    Object.assign(pending.record, { status, code, message });
    this.#pipeline.log(pending);
    return jsonAnswer({ error: message, code, details: {}, requestId }, status, requestId);
  }
}
