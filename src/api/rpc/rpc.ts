import { RpcContext, type RpcWorld } from './context.js';
import { PendingRequest } from '../pipeline/pending-request.js';
import type { RequestPipeline } from '../pipeline/pipeline.js';
import { Dispatcher, type RpcAnswer } from './dispatcher.js';
import { RPC_CODES } from './errors.js';
import type { RpcLimits } from './limits.js';
import { PubSub } from './pubsub.js';
import { subscriptionMethods } from './subscription-methods.js';
import type { Subscriber } from './subscription-kinds.js';

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

  constructor(world: Omit<RpcWorld, 'onDropped'>, pipeline: RequestPipeline) {
    this.limits = world.limits;
    const method = 'sendTransaction';
    const context = new RpcContext({
      ...world,
      onDropped: (signature, reason, requestId) => {
        const pending = new PendingRequest({ requestId, interface: 'rpc', method: 'RPC', path: method });
        const message = `dropped, since it was sent with skipPreflight: ${reason}`;
        const code = RPC_CODES.preflightFailure;
        Object.assign(pending.record, { operation: method, status: 200, code, message, input: signature });
        pipeline.log(pending);
      },
    });
    this.#dispatcher = new Dispatcher(context, pipeline);
    this.#pubsub = new PubSub(context, pipeline);
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
