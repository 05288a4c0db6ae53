import { setImmediate as othersTurn } from 'node:timers/promises';
import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import type { ChainListener } from '../../chain/submission.js';
import type { RpcContext } from './context.js';
import { Interests } from './interests.js';
import { toJson } from './json.js';
import { notificationsOf } from './notifications.js';
import {
  type ChainEvent,
  type EventSubscription,
  type SlotSubscription,
  type Subscriber,
  type Subscription,
  isOfSlots,
} from './subscription-kinds.js';

const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** How many slots are told one by one when many have passed at once, as after a jump in time. */
const MAX_SLOTS_AT_ONCE = 32;

/** After so many notifications of an event, requests get through. */
const TOLD_AT_ONCE = 100;

/** So many signature subscriptions of a subscriber, the last that a notification has ended, may still be ended by it. */
const MAX_ENDED = 1_000;

export interface PubSubOptions {
  /** Null when everything that has happened is on the disk, or need not be; else it resolves when it is, and rejects when it will not be. */
  readonly whenDurable: () => Promise<void> | null;
  readonly onBug: (error: unknown, method: string) => void;
}

/** A subscription before it has its number. */
export type Wanted<S = Subscription> = S extends Subscription ? Omit<S, 'id'> : never;

/**
 * Subscriptions to a chain. Nothing runs while there are none; slots are read off the clock, and a timer waits for the next one only
 * while somebody waits for it.
 */
export class PubSub implements ChainListener {
  readonly #context: RpcContext;
  readonly #options: PubSubOptions;
  readonly #interests = new Interests();
  readonly #bySlot = new Set<SlotSubscription>();
  readonly #byId = new Map<number, Subscription>();
  readonly #bySubscriber = new Map<Subscriber, Set<Subscription>>();
  /** Signature subscriptions that a notification has ended, by subscriber, until it ends them itself; oldest first. */
  readonly #ended = new Map<Subscriber, Set<number>>();
  readonly #stopListening: readonly (() => void)[];
  /** Events that not every commitment has been told of yet; `#told` says how many of them each has. */
  #events: ChainEvent[] = [];
  #told: Record<Commitment, number> = { processed: 0, confirmed: 0, finalized: 0 };
  #slots: Record<Commitment, number>;
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;
  #delivery: Promise<void> | null = null;
  #again = false;

  constructor(context: RpcContext, options: PubSubOptions) {
    this.#context = context;
    this.#options = options;
    this.#slots = this.#currentSlots();
    this.#stopListening = [
      context.chain.listen(this),
      context.fates.onReleased((record) => this.#released(record)),
    ];
  }

  /** How many subscriptions there are. */
  get count(): number {
    return this.#byId.size;
  }

  /** How many subscriptions a subscriber has. */
  countOf(subscriber: Subscriber): number {
    return this.#bySubscriber.get(subscriber)?.size ?? 0;
  }

  /** Begins a subscription and gives its number. */
  add(wanted: Wanted): number {
    this.#lastId += 1;
    const subscription = { ...wanted, id: this.#lastId } as Subscription;
    this.#byId.set(subscription.id, subscription);
    const own = this.#bySubscriber.get(wanted.subscriber) ?? new Set();
    this.#bySubscriber.set(wanted.subscriber, own.add(subscription));
    if (isOfSlots(subscription)) {
      if (this.#bySlot.size === 0) this.#slots = this.#currentSlots();
      this.#bySlot.add(subscription);
    } else {
      this.#interests.add(subscription);
      if (subscription.kind === 'signature') this.#tellPast(subscription);
    }
    this.#schedule();
    return subscription.id;
  }

  /**
   * Ends a subscription of a subscriber; false when it has none with this number and kind. A signature subscription that its
   * notification has ended may be ended once: the request was perhaps sent before the notification arrived, as by clients that ask
   * for the status of the signature too.
   */
  remove(id: number, subscriber: Subscriber, kind: Subscription['kind']): boolean {
    if (kind === 'signature' && this.#ended.get(subscriber)?.delete(id) === true) return true;
    const subscription = this.#byId.get(id);
    if (subscription?.subscriber !== subscriber || subscription.kind !== kind) return false;
    this.#forget(subscription);
    return true;
  }

  /** Ends all subscriptions of a subscriber. */
  removeAll(subscriber: Subscriber): void {
    for (const subscription of this.#bySubscriber.get(subscriber) ?? []) this.#forget(subscription);
    this.#ended.delete(subscriber);
  }

  changed(touched: readonly TouchedAccount[], transaction: TransactionRecord | null): void {
    const { chain } = this.#context;
    const event = { slot: transaction?.slot ?? chain.slot(), touched, transaction };
    // Somebody may ask for what is not final yet before it is; what is final at once is of interest now or never.
    const isOpen = chain.slotAt('finalized') < event.slot;
    if (isOpen || this.#interests.in(event).length > 0) this.#events.push(event);
    if (this.#events.length > 0 || this.#bySlot.size > 0) this.tick();
  }

  restored(): void {
    this.#events = [];
    this.#told = { processed: 0, confirmed: 0, finalized: 0 };
    this.#slots = this.#currentSlots();
    this.#schedule();
  }

  /** Tells what there is to tell now. Call it when time was moved. */
  tick(): void {
    if (this.#delivery !== null) {
      this.#again = true;
      return;
    }
    this.#delivery = new Promise<void>((resolve) => {
      setImmediate(resolve);
    })
      .then(() => this.#deliver())
      .catch((error: unknown) => this.#options.onBug(error, 'notifications'))
      .finally(() => {
        this.#delivery = null;
        if (this.#again) {
          this.#again = false;
          this.tick();
        }
      });
  }

  close(): void {
    for (const stop of this.#stopListening) stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#byId.clear();
    this.#bySubscriber.clear();
    this.#ended.clear();
    this.#interests.clear();
    this.#bySlot.clear();
    this.#events = [];
  }

  #currentSlots(): Record<Commitment, number> {
    const { chain } = this.#context;
    return {
      processed: chain.slotAt('processed'),
      confirmed: chain.slotAt('confirmed'),
      finalized: chain.slotAt('finalized'),
    };
  }

  #forget(subscription: Subscription): void {
    this.#byId.delete(subscription.id);
    const own = this.#bySubscriber.get(subscription.subscriber);
    own?.delete(subscription);
    if (own?.size === 0) this.#bySubscriber.delete(subscription.subscriber);
    if (isOfSlots(subscription)) {
      this.#bySlot.delete(subscription);
      return;
    }
    this.#interests.remove(subscription);
  }

  /** A transaction that has run already is told as if it did now. */
  #tellPast(subscription: EventSubscription & { kind: 'signature' }): void {
    const record = this.#context.chain.transaction(subscription.signature);
    if (record === null || record.slot > this.#context.chain.slotAt(subscription.commitment)) return;
    const event = { slot: record.slot, touched: record.touched, transaction: record };
    setImmediate(() => {
      this.#isKept()
        .then((isKept) => (isKept ? this.#tell(subscription, event) : undefined))
        .catch((error: unknown) => this.#options.onBug(error, 'notifications'));
    });
  }

  /** A transaction that a fault had kept from being told as confirmed. */
  #released(record: TransactionRecord): void {
    for (const subscription of this.#interests.inSignature(record.signature) ?? []) {
      if (subscription.kind === 'signature') this.#tellPast(subscription);
    }
  }

  #isHeld(subscription: EventSubscription): boolean {
    return (
      subscription.kind === 'signature' &&
      subscription.commitment !== 'processed' &&
      this.#context.fates.isHeld(subscription.signature)
    );
  }

  async #deliver(): Promise<void> {
    const events = this.#events;
    // What happens from here on is told the next time.
    const { length } = events;
    if (length > 0) {
      // What the bank did is known by prediction until it is proved.
      await this.#context.chain.verifyPredictions();
      // A world that has gone back meanwhile has other events.
      if ((await this.#isKept()) && events === this.#events) await this.#notifyEvents(length);
    }
    this.#tellSlots();
    this.#schedule();
  }

  /** Tells of so many events, as far as they have the commitments that are asked for. */
  async #notifyEvents(length: number): Promise<void> {
    const events = this.#events;
    for (const commitment of COMMITMENTS) {
      const last = this.#context.chain.slotAt(commitment);
      while (events === this.#events && this.#told[commitment] < length) {
        const event = events[this.#told[commitment]] as ChainEvent;
        if (event.slot > last) break;
        this.#told[commitment] += 1;
        await this.#tellAll(event, commitment);
      }
    }
    if (events !== this.#events) return;
    const done = Math.min(...Object.values(this.#told));
    events.splice(0, done);
    for (const commitment of COMMITMENTS) this.#told[commitment] -= done;
  }

  /** Whether what has happened is on the disk, if it has to be: nobody is told before. */
  async #isKept(): Promise<boolean> {
    try {
      await this.#options.whenDurable();
      return true;
    } catch {
      // The world goes back to what the disk holds.
      return false;
    }
  }

  async #tellAll(event: ChainEvent, commitment: Commitment): Promise<void> {
    let told = 0;
    for (const subscription of this.#interests.in(event)) {
      if (subscription.commitment !== commitment) continue;
      await this.#tell(subscription, event);
      told += 1;
      if (told % TOLD_AT_ONCE === 0) await othersTurn();
    }
  }

  async #tell(subscription: EventSubscription, event: ChainEvent): Promise<void> {
    if (this.#isHeld(subscription)) return;
    for (const value of await notificationsOf(this.#context, subscription, event)) {
      if (this.#byId.get(subscription.id) !== subscription) return;
      this.#send(subscription, { context: { slot: event.slot }, value });
    }
    if (subscription.kind === 'signature') this.#end(subscription);
  }

  /** Ends a signature subscription after its notification. */
  #end(subscription: Subscription): void {
    const { id, subscriber } = subscription;
    this.#forget(subscription);
    const ended = this.#ended.get(subscriber) ?? new Set();
    this.#ended.set(subscriber, ended.add(id));
    const [oldest] = ended;
    if (ended.size > MAX_ENDED && oldest !== undefined) ended.delete(oldest);
  }

  #tellSlots(): void {
    if (this.#bySlot.size === 0) return;
    const [from, to] = [this.#slots, this.#currentSlots()];
    this.#slots = to;
    for (const subscription of this.#bySlot) {
      const commitment = subscription.kind === 'slot' ? 'processed' : 'finalized';
      const first = Math.max(from[commitment] + 1, to[commitment] - MAX_SLOTS_AT_ONCE + 1);
      for (let slot = first; slot <= to[commitment]; slot += 1) {
        const root = Math.max(0, slot - (to.processed - to.finalized));
        this.#send(subscription, subscription.kind === 'root' ? slot : { slot, parent: slot - 1, root });
      }
    }
  }

  #send({ id, kind, subscriber }: Subscription, result: unknown): void {
    const method = `${kind}Notification`;
    subscriber.send(toJson({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
  }

  /** Waits for the next slot when somebody does. */
  #schedule(): void {
    if (this.#timer !== null || (this.#bySlot.size === 0 && this.#events.length === 0)) return;
    const { chain } = this.#context;
    const ms = chain.msUntil(chain.slot() + 1);
    if (!Number.isFinite(ms)) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.tick();
    }, Math.ceil(ms));
    this.#timer.unref();
  }
}
