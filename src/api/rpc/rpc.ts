import { setImmediate as othersTurn, setTimeout as wait } from 'node:timers/promises';
import { RpcContext, type RpcWorld } from './context.js';
import { Dispatcher, type RpcAnswer } from './dispatcher.js';
import type { RpcLimits } from './limits.js';
import { PubSub } from './pubsub.js';
import { subscriptionMethods } from './subscription-methods.js';
import type { Subscriber } from './subscriptions.js';

export interface Session {
  /** The response to a message. Never rejects. */
  answer(text: string): Promise<RpcAnswer>;
  end(): void;
}

/** Whether a message sends a transaction. If the method is spelled with escapes, the transaction only runs without the wait. */
const SENDS = /"(sendTransaction|requestAirdrop)"/;

/** Whether a message requests the status of a transaction. */
const ASKS_STATUS = /"getSignatureStatuses"/;

/** Solana's JSON-RPC and PubSub over the chain of a world, independent of the transport. */
export class Rpc {
  readonly limits: RpcLimits;
  readonly #dispatcher: Dispatcher;
  readonly #pubsub: PubSub;
  readonly #context: RpcContext;

  constructor(world: RpcWorld) {
    this.limits = world.limits;
    this.#context = new RpcContext(world);
    this.#dispatcher = new Dispatcher(this.#context);
    this.#pubsub = new PubSub(this.#context);
  }

  /** The response to a message, single or batch. Never rejects. */
  answer(text: string): Promise<RpcAnswer> {
    return this.#dispatcher.answer(text);
  }

  /**
   * `answer` for a message over HTTP. While the clock runs, transactions wait briefly before they run, so that an earlier subscription of
   * their sender, on another connection, sees their effect. A status is sent after the notifications about it: @solana/web3.js rejects with
   * a bare error when a transaction's status arrives first.
   */
  async answerHttp(text: string): Promise<RpcAnswer> {
    const { chain, landingDelayMs, pipeline } = this.#context.world;
    let rollbacks: number | undefined;
    if (landingDelayMs > 0 && !chain.isFrozen() && SENDS.test(text)) {
      rollbacks = pipeline.rollbackCount;
      await wait(landingDelayMs);
      // A late timer runs before sockets are read: let what has arrived meanwhile go first.
      await othersTurn();
      await othersTurn();
    }
    const answer = await this.#dispatcher.answer(text, undefined, rollbacks);
    if (ASKS_STATUS.test(text)) await this.#pubsub.whenDelivered();
    return answer;
  }

  /** A session whose notifications go to `subscriber`. */
  session(subscriber: Subscriber): Session {
    const methods = subscriptionMethods(this.#pubsub, subscriber, this.#context);
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
