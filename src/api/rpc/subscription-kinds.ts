import type { Account } from '../../chain/engine.js';
import type { TouchedAccount, TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import type { AccountShape } from './encoding/account.js';
import type { BlockShape } from './methods/blocks.js';

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
  /** `null` for all transactions. */
  readonly mentions: string | null;
}

export interface SignatureSubscription extends Base {
  readonly kind: 'signature';
  readonly commitment: Commitment;
  readonly signature: string;
  /** Whether it is also notified when the transaction is received, before its result has the commitment. */
  readonly isOfReceipt: boolean;
}

/** Notified of passing slots: `slot` of every one, `root` of those that become final, `slotsUpdates` of each step. */
export interface SlotSubscription extends Base {
  readonly kind: 'slot' | 'root' | 'slotsUpdates';
}

/** Notified of the blocks of passing slots. */
export interface BlockSubscription extends Base {
  readonly kind: 'block';
  readonly commitment: Commitment;
  /** Only transactions that mention this address, and blocks with such transactions; `null` for all. */
  readonly mentions: string | null;
  readonly shape: BlockShape;
}

export type EventSubscription =
  | AccountSubscription
  | ProgramSubscription
  | LogsSubscription
  | SignatureSubscription;
export type Subscription = EventSubscription | SlotSubscription | BlockSubscription;
export type SubscriptionKind = Subscription['kind'];

/** Whether a subscription is for slots rather than for events in them. */
export function isOfSlots(subscription: Subscription): subscription is SlotSubscription | BlockSubscription {
  return ['slot', 'root', 'slotsUpdates', 'block'].includes(subscription.kind);
}
