import type { Hono } from 'hono';
import type { Bank } from '../bank/bank.js';
import type { Chain } from '../chain/chain.js';
import type { SignatureJudge } from '../chain/signatures.js';
import { GENESIS_HASHES } from '../chain/genesis.js';
import type { SimulatorConfig } from '../config.js';
import type { Problem } from '../control/problems.js';
import type { ControlWorld } from '../control/world.js';
import { keptText } from '../domain/short-text.js';
import type { RequestEvent } from '../events/event.js';
import type { ServiceFacts } from '../http/discovery.js';
import type { AnsweredRequest } from '../http/answered-request.js';
import { LostAnswer, jsonAnswer } from '../http/answers.js';
import { App } from '../http/app.js';
import { DirectDoor } from '../http/direct.js';
import { Service } from '../http/service.js';
import { lasting } from './lasting.js';
import { StorageUnavailable } from '../journal/storage-unavailable.js';
import type { AnsweredCall } from '../rpc/dispatcher.js';
import type { Rpc } from '../rpc/rpc.js';
import { KeyRing } from '../world/keys.js';
import type { Course } from './course.js';
import type { DoorsOptions } from './doors.js';
import { FacilitatorDoor } from './facilitator-door.js';
import type { LocalGround } from './local-ground.js';
import type { TapeSlot } from './tape-slot.js';

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
  readonly signatures?: SignatureJudge;
}

/** What of a world its interfaces need. */
export interface InterfacedWorld extends ControlWorld {
  readonly bank: Bank;
  readonly config: SimulatorConfig;
  readonly facts: ServiceFacts;
  readonly mount: string;
  /** A promise to wait for before an answer is given; null for none. */
  durably(): Promise<void> | null;
  readonly recording: ControlWorld['recording'] & { readonly tape: TapeSlot };
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
export class Interfaces {
  readonly #world: InterfacedWorld;
  readonly #course: Course;
  readonly #hooks: SimulatorHooks;
  readonly #service: Service;
  readonly #counts = { req: 0, rpc: 0, ctl: 0, fac: 0 };

  constructor(world: InterfacedWorld, course: Course, hooks: SimulatorHooks) {
    this.#world = world;
    this.#course = course;
    this.#hooks = hooks;
    const { bank, config, facts, faults } = world;
    this.#service = new Service({
      bank,
      variants: config.variants,
      facts,
      faults: faults.rules,
      tape: world.recording.tape,
      ...this.#passage('req'),
      onAnswer: this.#onAnswer,
      onBug: this.#onBug,
    });
  }

  /** What answers requests on the API's port; `chain` is null on a cluster. */
  behindDoors(chain: Chain | null): Pick<DoorsOptions, 'app' | 'makeControl' | 'facilitator' | 'refused'> {
    return {
      app: this.app(),
      makeControl: (token) => this.control(token),
      refused: (request, problem) => this.#refused(request, problem),
      facilitator: this.facilitator(chain),
    };
  }

  /** The facilitator of standard x402. */
  facilitator(chain: Chain | null): FacilitatorDoor {
    const { bank, mount } = this.#world;
    return new FacilitatorDoor({
      chain,
      key: bank.addresses.facilitator,
      mount,
      ...this.#passage('fac'),
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
  direct(): DirectDoor {
    const { config, mount } = this.#world;
    return new DirectDoor(this.#service, { variants: config.variants, mount });
  }

  /** The chain's JSON-RPC. */
  async rpc({ chain, faucet, fates }: LocalGround): Promise<Rpc> {
    const { Rpc: Made } = await import('../rpc/rpc.js');
    const { config, faults, events, recording } = this.#world;
    return new Made({
      chain,
      faucet,
      fates,
      limits: config.limits,
      genesisHash: GENESIS_HASHES[config.variants.network],
      identity: new KeyRing(config.seed).derive('validator').address,
      faults: faults.rules,
      tape: recording.tape,
      ...this.#passage('rpc'),
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
    const { controlApp } = await import('../control/app.js');
    const { bank, config, events, mount, recording } = this.#world;
    const { inWorld, asItIs, newRequestId, lasting: kept } = this.#passage('ctl');
    return controlApp({
      world: this.#world,
      limits: config.limits,
      token,
      mount,
      inWorld,
      asItIs,
      newRequestId,
      lasting: kept,
      tape: recording.tape,
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

  #passage(kind: Numbered) {
    return {
      inWorld: <T>(work: () => T | Promise<T>) => this.#course.shared(work),
      asItIs: <T>(work: () => T | Promise<T>) => this.#course.asItIs(work),
      losses: () => this.#course.losses,
      lasting: <T>(work: (isAgain: boolean) => T | Promise<T>, isRead: boolean) =>
        lasting(work, { isRead, durably: () => this.#world.durably() }),
      pass: (ms: number) => this.#course.pass(ms),
      durably: (losses = this.#course.losses) =>
        losses === this.#course.losses
          ? this.#world.durably()
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
