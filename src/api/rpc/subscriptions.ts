import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import type { SlotKind, SlotsPassed } from './slot-notifications.js';

/** A change of the chain about which subscribers may be notified. */
export interface ChainEvent {
  readonly slot: number;
  readonly touched: readonly TouchedAccount[];
  /** `null` when accounts were written directly, bypassing transactions. */
  readonly transaction: TransactionRecord | null;
}

/** The receiver of a subscription's notifications. */
export interface Subscriber {
  /** Called when a subscription is added, before the client has its id. */
  began(): void;
  /** Sends one notification. Must not throw. */
  send(text: string): void;
}

/** Notified of the events that concern a subject. */
export interface EventSubscription {
  readonly id: number;
  readonly subscriber: Subscriber;
  readonly kind: 'account' | 'program' | 'logs' | 'signature';
  /** An account, the owner of accounts, an address that transactions mention (or `ANYTHING`), or a signature. */
  readonly subject: string;
  readonly commitment: Commitment;
  /** For a signature: whether it is also notified when the transaction is received, before its result has the commitment. */
  readonly isOfReceipt?: boolean;
  /** The `value` members of the notifications that an event causes. */
  valuesOf(event: ChainEvent): unknown[] | Promise<unknown[]>;
}

/** Notified of passing slots, or of their blocks. */
export interface SlotSubscription {
  readonly id: number;
  readonly subscriber: Subscriber;
  readonly kind: SlotKind | 'block';
  /** The results of the notifications about slots that have passed. */
  resultsOf(passed: SlotsPassed): unknown[] | Promise<unknown[]>;
}

export type Subscription = EventSubscription | SlotSubscription;

/** The subject of subscriptions to the logs of all transactions. */
export const ANYTHING = '';

/** Subscriptions by what they are about. */
export class Interests {
  readonly #bySubject = new Map<string, Set<EventSubscription>>();

  add(subscription: EventSubscription): void {
    const key = keyOf(subscription);
    this.#bySubject.set(key, (this.#bySubject.get(key) ?? new Set()).add(subscription));
  }

  remove(subscription: EventSubscription): void {
    const key = keyOf(subscription);
    const others = this.#bySubject.get(key);
    others?.delete(subscription);
    if (others?.size === 0) this.#bySubject.delete(key);
  }

  clear(): void {
    this.#bySubject.clear();
  }

  /** The subscriptions of a kind to subjects. */
  of(kind: EventSubscription['kind'], subjects: Iterable<string>): EventSubscription[] {
    return Array.from(subjects, (subject) => [
      ...(this.#bySubject.get(keyOf({ kind, subject })) ?? []),
    ]).flat();
  }

  /** All subscriptions that an event matches, each once. */
  in({ touched, transaction }: ChainEvent): EventSubscription[] {
    if (this.#bySubject.size === 0) return [];
    const owners = new Set(touched.flatMap(({ post }) => (post === null ? [] : [post.owner])));
    const changed = touched.map(({ address }) => address);
    const found = [...this.of('account', changed), ...this.of('program', owners)];
    if (transaction === null) return found;
    const { signature, accountKeys } = transaction;
    const mentioned = new Set([ANYTHING, ...accountKeys]);
    return [...found, ...this.of('signature', [signature]), ...this.of('logs', mentioned)];
  }
}

function keyOf({ kind, subject }: Pick<EventSubscription, 'kind' | 'subject'>): string {
  return `${kind}/${subject}`;
}
