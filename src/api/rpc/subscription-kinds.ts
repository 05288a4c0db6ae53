import type { Account } from '../../chain/engine.js';
import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import type { AccountShape } from './encoding/account.js';

/** Something that happened on the chain and may be told to subscribers. */
export interface ChainEvent {
  readonly slot: number;
  readonly touched: readonly TouchedAccount[];
  /** Null for accounts that were written past all rules. */
  readonly transaction: TransactionRecord | null;
}

/** Where the notifications of a subscription go. */
export interface Subscriber {
  /** Hears that a subscription begins whose number it does not know yet. */
  began(): void;
  /** Sends one notification. Must not throw. */
  send(text: string): void;
}

interface Base {
  readonly id: number;
  readonly subscriber: Subscriber;
}

export interface AccountSubscription extends Base {
  readonly kind: 'account';
  readonly commitment: Commitment;
  readonly address: string;
  readonly shape: AccountShape;
}

export interface ProgramSubscription extends Base {
  readonly kind: 'program';
  readonly commitment: Commitment;
  readonly program: string;
  readonly shape: AccountShape;
  readonly passes: (account: Account) => boolean;
}

export interface LogsSubscription extends Base {
  readonly kind: 'logs';
  readonly commitment: Commitment;
  /** Null for all transactions. */
  readonly mentions: string | null;
}

export interface SignatureSubscription extends Base {
  readonly kind: 'signature';
  readonly commitment: Commitment;
  readonly signature: string;
}

/** Told of slots as they pass: `slot` of every one, `root` of those that become final. */
export interface SlotSubscription extends Base {
  readonly kind: 'slot' | 'root';
}

export type EventSubscription =
  AccountSubscription | ProgramSubscription | LogsSubscription | SignatureSubscription;
export type Subscription = EventSubscription | SlotSubscription;
export type SubscriptionKind = Subscription['kind'];

/** Whether a subscription waits for slots, not for what happens in them. */
export function isOfSlots(subscription: Subscription): subscription is SlotSubscription {
  return subscription.kind === 'slot' || subscription.kind === 'root';
}
