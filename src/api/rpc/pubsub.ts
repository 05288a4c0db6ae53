import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Account } from '../../chain/engine.js';
import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import { sameAccount } from '../../chain/prediction.js';
import type { ChainListener } from '../../chain/submission.js';
import type { RpcContext } from './context.js';
import { toJson } from '../../core/exact-json.js';
import { type SlotPositions, slotPositions } from './slot-notifications.js';
import {
  type ChainEvent,
  type EventSubscription,
  Interests,
  type SlotSubscription,
  type Subscriber,
  type Subscription,
} from './subscriptions.js';

const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** The number of notifications of an event between yields to other requests. */
const NOTIFIED_AT_ONCE = 100;

/** The most signature subscriptions per subscriber that were ended by their notification and can still be unsubscribed from. */
const MAX_ENDED = 1_000;

export type Wanted<S = Subscription> = S extends Subscription ? Omit<S, 'id' | 'subscriber'> : never;

/**
 * Subscriptions to a chain. Idle without any; slots are derived from the clock, and a timer waits for the
 * next one only while a subscription needs it.
 */
export class PubSub implements ChainListener {
  readonly #context: RpcContext;
  readonly #interests = new Interests();
  readonly #bySlot = new Set<SlotSubscription>();
  readonly #byId = new Map<number, Subscription>();
  readonly #bySubscriber = new Map<Subscriber, Set<Subscription>>();
  /** Signature subscriptions ended by a notification, by subscriber, until they are unsubscribed from; oldest first. */
  readonly #ended = new Map<Subscriber, Set<number>>();
  readonly #stopListening: readonly (() => void)[];
  /** Events not yet delivered at every commitment; `#delivered` counts those delivered at each. */
  #events: ChainEvent[] = [];
  #delivered: Record<Commitment, number> = { processed: 0, confirmed: 0, finalized: 0 };
  #slots: SlotPositions;
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;
  #delivery: Promise<void> | null = null;
  #again = false;
  /** The notifications about transactions that ran before their subscription. */
  #past: Promise<unknown> = Promise.resolve();

  constructor(context: RpcContext) {
    this.#context = context;
    this.#slots = slotPositions(context);
    this.#stopListening = [
      context.chain.listen(this),
      context.world.transactionFaults.onReleased((record) => this.#released(record)),
    ];
  }

  get count(): number {
    return this.#byId.size;
  }

  countOf(subscriber: Subscriber): number {
    return this.#bySubscriber.get(subscriber)?.size ?? 0;
  }

  add(wanted: Wanted, subscriber: Subscriber): number {
    this.#lastId += 1;
    const subscription = { ...wanted, subscriber, id: this.#lastId } as Subscription;
    this.#byId.set(subscription.id, subscription);
    const own = this.#bySubscriber.get(subscriber) ?? new Set();
    this.#bySubscriber.set(subscriber, own.add(subscription));
    if ('resultsOf' in subscription) {
      if (this.#bySlot.size === 0) this.#slots = slotPositions(this.#context);
      this.#bySlot.add(subscription);
    } else {
      this.#interests.add(subscription);
      if (subscription.kind === 'signature') this.#notifyPast(subscription);
    }
    this.#schedule();
    return subscription.id;
  }

  /**
   * Removes a subscription; false when the subscriber has none with this id and kind. A signature
   * subscription that its notification has ended can still be removed once, since the client may not have
   * read the notification yet.
   */
  remove(id: number, subscriber: Subscriber, kind: Subscription['kind']): boolean {
    if (kind === 'signature' && this.#ended.get(subscriber)?.delete(id) === true) return true;
    const subscription = this.#byId.get(id);
    if (subscription?.subscriber !== subscriber || subscription.kind !== kind) return false;
    this.#forget(subscription);
    return true;
  }

  removeAll(subscriber: Subscriber): void {
    for (const subscription of this.#bySubscriber.get(subscriber) ?? []) this.#forget(subscription);
    this.#ended.delete(subscriber);
  }

  changed(touched: readonly TouchedAccount[], transaction: TransactionRecord | null): void {
    const { chain } = this.#context;
    const event = { slot: transaction?.slot ?? chain.slot(), touched, transaction };
    // Until an event is final, a later subscription may match it; one that is final at once matters now or never.
    const isOpen = chain.slotAt('finalized') < event.slot;
    if (isOpen || this.#interests.in(event).length > 0) this.#events.push(event);
    if (this.#events.length > 0 || this.#bySlot.size > 0) this.tick();
  }

  restored(touched: readonly TouchedAccount[]): void {
    const seen = new Map<string, Account | null>();
    for (const event of this.#events.slice(this.#delivered.processed).toReversed())
      for (const { address, pre } of event.touched) seen.set(address, pre);
    // A change that was undone before it was delivered was none.
    const changed = touched.filter(
      ({ address, post }) => !seen.has(address) || !sameAccount(seen.get(address) ?? null, post),
    );
    this.#events = [];
    this.#delivered = { processed: 0, confirmed: 0, finalized: 0 };
    this.#slots = slotPositions(this.#context);
    this.#schedule();
    if (changed.length > 0) this.changed(changed, null);
  }

  /** Delivers pending notifications. Call after time has moved. */
  tick(): void {
    if (this.#delivery !== null) {
      this.#again = true;
      return;
    }
    this.#delivery = new Promise<void>((resolve) => {
      setImmediate(resolve);
    })
      .then(() => this.#deliver())
      .catch((error: unknown) => this.#context.world.pipeline.bug(error, 'notifications'))
      .finally(() => {
        this.#delivery = null;
        if (this.#again) {
          this.#again = false;
          this.tick();
        }
      });
  }

  /** Resolves when the notifications of everything up to now are sent. */
  async whenDelivered(): Promise<void> {
    const past = this.#past;
    // What happens during a delivery is delivered by the next one.
    await this.#delivery;
    await this.#delivery;
    await past;
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

  #forget(subscription: Subscription): void {
    this.#byId.delete(subscription.id);
    const own = this.#bySubscriber.get(subscription.subscriber);
    own?.delete(subscription);
    if (own?.size === 0) this.#bySubscriber.delete(subscription.subscriber);
    if ('resultsOf' in subscription) this.#bySlot.delete(subscription);
    else this.#interests.remove(subscription);
  }

  /** Notifies of a transaction that ran before the subscription. */
  #notifyPast(subscription: EventSubscription): void {
    const record = this.#context.chain.transaction(subscription.subject);
    if (record === null || record.slot > this.#context.chain.slotAt(subscription.commitment)) return;
    const event = { slot: record.slot, touched: record.touched, transaction: record };
    const notified = othersTurn()
      .then(() => this.#isDurable())
      .then((isDurable) => (isDurable ? this.#notify(subscription, event) : undefined))
      .catch((error: unknown) => this.#context.world.pipeline.bug(error, 'notifications'));
    // Without their values, which would hold those of all before.
    this.#past = Promise.all([this.#past, notified]).then(() => undefined);
  }

  /** A fault no longer withholds the confirmation of a transaction. */
  #released(record: TransactionRecord): void {
    for (const subscription of this.#interests.of('signature', [record.signature]))
      this.#notifyPast(subscription);
  }

  #isHeld(subscription: EventSubscription): boolean {
    return (
      subscription.kind === 'signature' &&
      subscription.commitment !== 'processed' &&
      this.#context.world.transactionFaults.isHeld(subscription.subject)
    );
  }

  async #deliver(): Promise<void> {
    const events = this.#events;
    // Later events are delivered next time.
    const { length } = events;
    const hasBlocks = [...this.#bySlot].some(({ kind }) => kind === 'block');
    if (length > 0 || hasBlocks) {
      // The bank's transfers are only predicted until they are verified.
      await this.#context.chain.verifyPredictions();
      // After a rollback or restore, these events are obsolete.
      if ((await this.#isDurable()) && events === this.#events) await this.#notifyEvents(length);
    }
    await this.#notifySlots();
    this.#schedule();
  }

  /** Notifies of the first `length` events, as far as they have reached the requested commitments. */
  async #notifyEvents(length: number): Promise<void> {
    const events = this.#events;
    for (const commitment of COMMITMENTS) {
      const last = this.#context.chain.slotAt(commitment);
      while (events === this.#events && this.#delivered[commitment] < length) {
        const event = events[this.#delivered[commitment]] as ChainEvent;
        if (event.slot > last) break;
        this.#delivered[commitment] += 1;
        await this.#notifyAll(event, commitment);
      }
    }
    if (events !== this.#events) return;
    const done = Math.min(...Object.values(this.#delivered));
    events.splice(0, done);
    for (const commitment of COMMITMENTS) this.#delivered[commitment] -= done;
  }

  /** Whether every change is durable, if required; nothing is delivered before. */
  async #isDurable(): Promise<boolean> {
    try {
      await this.#context.world.pipeline.whenDurable();
      return true;
    } catch {
      // It was rolled back.
      return false;
    }
  }

  async #notifyAll(event: ChainEvent, commitment: Commitment): Promise<void> {
    let notified = 0;
    for (const subscription of this.#interests.in(event)) {
      // A block is received and processed at once.
      if (commitment === 'processed' && subscription.isOfReceipt === true)
        this.#send(subscription, { context: { slot: event.slot }, value: 'receivedSignature' });
      if (subscription.commitment !== commitment) continue;
      await this.#notify(subscription, event);
      notified += 1;
      if (notified % NOTIFIED_AT_ONCE === 0) await othersTurn();
    }
  }

  async #notify(subscription: EventSubscription, event: ChainEvent): Promise<void> {
    if (this.#isHeld(subscription)) return;
    for (const value of await subscription.valuesOf(event)) {
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

  async #notifySlots(): Promise<void> {
    if (this.#bySlot.size === 0) return;
    const passed = { from: this.#slots, to: slotPositions(this.#context) };
    this.#slots = passed.to;
    // A copy: while blocks are encoded, subscriptions may be added, which these slots do not concern.
    for (const subscription of Array.from(this.#bySlot)) {
      const results = await subscription.resultsOf(passed);
      if (!this.#bySlot.has(subscription)) continue;
      for (const result of results) this.#send(subscription, result);
    }
  }

  #send({ id, kind, subscriber }: Subscription, result: unknown): void {
    const method = `${kind}Notification`;
    subscriber.send(toJson({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
  }

  /** Schedules the next slot if anything is waiting for it. */
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
