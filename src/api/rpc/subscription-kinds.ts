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

interface Committed extends Base {
  readonly commitment: Commitment;
}

export interface AccountSubscription extends Committed {
  readonly kind: 'account';
  readonly address: string;
  readonly shape: AccountShape;
}

export interface ProgramSubscription extends Committed {
  readonly kind: 'program';
  readonly program: string;
  readonly shape: AccountShape;
  readonly passes: (account: Account) => boolean;
}

export interface LogsSubscription extends Committed {
  readonly kind: 'logs';
  /** `null` for all transactions. */
  readonly mentions: string | null;
}

export interface SignatureSubscription extends Committed {
  readonly kind: 'signature';
  readonly signature: string;
  /** Whether it is also notified when the transaction is received, before its result has the commitment. */
  readonly isOfReceipt: boolean;
}

/** Notified of passing slots: `slot` of every one, `root` of those that become final, `slotsUpdates` of each step. */
export interface SlotSubscription extends Base {
  readonly kind: 'slot' | 'root' | 'slotsUpdates';
}

/** Notified of the blocks of passing slots. */
export interface BlockSubscription extends Committed {
  readonly kind: 'block';
  /** Only transactions that mention this address, and blocks with such transactions; `null` for all. */
  readonly mentions: string | null;
  readonly shape: BlockShape;
}

export type EventSubscription =
  AccountSubscription | ProgramSubscription | LogsSubscription | SignatureSubscription;
export type Subscription = EventSubscription | SlotSubscription | BlockSubscription;
export type SubscriptionKind = Subscription['kind'];

const SLOT_KINDS = ['slot', 'root', 'slotsUpdates', 'block'] satisfies SubscriptionKind[];
export const SUBSCRIPTION_KINDS: readonly SubscriptionKind[] = [
  'account',
  'program',
  'logs',
  'signature',
  ...SLOT_KINDS,
];

/** Whether an event is about the subject of a subscription. */
export function concerns(subscription: EventSubscription, { touched, transaction }: ChainEvent): boolean {
  switch (subscription.kind) {
    case 'account':
      return touched.some(({ address }) => address === subscription.address);
    case 'program':
      return touched.some(({ post }) => post?.owner === subscription.program);
    case 'logs': {
      const { mentions } = subscription;
      return transaction !== null && (mentions === null || transaction.accountKeys.includes(mentions));
    }
    case 'signature':
      return transaction?.signature === subscription.signature;
  }
}

const OF_SLOTS: ReadonlySet<SubscriptionKind> = new Set(SLOT_KINDS);

/** Whether a subscription is for slots rather than for events in them. */
export function isOfSlots(subscription: Subscription): subscription is SlotSubscription | BlockSubscription {
  return OF_SLOTS.has(subscription.kind);
}
