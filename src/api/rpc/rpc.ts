import { RpcContext, type RpcWorld } from './context.js';
import type { Faults } from '../../runtime/faults/faults.js';
import { type AnsweredCall, Dispatcher, type RpcAnswer, type DispatcherOptions } from './dispatcher.js';
import { RPC_CODES } from './errors.js';
import type { RpcLimits } from './limits.js';
import { PubSub } from './pubsub.js';
import { subscriptionMethods } from './subscription-methods.js';
import type { RpcRecorderSlot } from './recorder-port.js';
import type { Subscriber } from './subscription-kinds.js';

/** What an RPC needs from the world that it serves. */
export interface RpcOptions
  extends
    Omit<RpcWorld, 'onDropped'>,
    Pick<
      DispatcherOptions,
      'runWithoutCatchUp' | 'whenDurable' | 'isKnown' | 'awaitDurable' | 'rollbackCount'
    > {
  readonly inWorld: <T>(work: () => T | Promise<T>) => T | Promise<T>;
  readonly newRequestId: () => string;
  readonly recorder: RpcRecorderSlot;
  readonly onAnswer: (answered: AnsweredCall) => void;
  readonly faults: Faults;
  /** Waits milliseconds of the world's time. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly onBug: (error: unknown, method: string) => void;
}

/** A client on a persistent connection. */
export interface Session {
  /** The response to a message. Never rejects. */
  answer(text: string): Promise<RpcAnswer>;
  /** Removes its subscriptions. */
  end(): void;
}

/** Solana's JSON-RPC and PubSub over the chain of a world, independent of the transport. */
export class Rpc {
  readonly limits: RpcLimits;
  readonly #dispatcher: Dispatcher;
  readonly #pubsub: PubSub;

  constructor(options: RpcOptions) {
    const { onAnswer, onBug, whenDurable } = options;
    this.limits = options.limits;
    const context = new RpcContext({
      ...options,
      onDropped: (signature, reason, requestId) => {
        const message = `dropped, since it was sent with skipPreflight: ${reason}`;
        onAnswer({
          requestId,
          faults: [],
          isLost: false,
          method: 'sendTransaction',
          detail: signature,
          code: RPC_CODES.preflightFailure,
          message,
          ms: 0,
        });
      },
    });
    this.#dispatcher = new Dispatcher({ ...options, context });
    this.#pubsub = new PubSub(context, { whenDurable, onBug });
  }

  /** The response to a message, single or batch. Never rejects. */
  answer(text: string): Promise<RpcAnswer> {
    return this.#dispatcher.answer(text);
  }

  /** A session whose notifications go to `subscriber`. */
  session(subscriber: Subscriber): Session {
    const methods = subscriptionMethods(this.#pubsub, subscriber, this.limits);
    return {
      answer: (text) => this.#dispatcher.answer(text, methods),
      end: () => this.#pubsub.removeAll(subscriber),
    };
  }

  /** Delivers pending notifications after time has moved. */
  timeMoved(): void {
    this.#pubsub.tick();
  }

  close(): void {
    this.#pubsub.close();
  }
}
