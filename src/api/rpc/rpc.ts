import { RpcContext, type RpcWorld } from './context.js';
import { Dispatcher, type RpcAnswer } from './dispatcher.js';
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

  constructor(world: RpcWorld) {
    this.limits = world.limits;
    const context = new RpcContext(world);
    this.#dispatcher = new Dispatcher(context);
    this.#pubsub = new PubSub(context);
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
