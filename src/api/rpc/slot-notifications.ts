import type { TransactionRecord } from '../../chain/history.js';
import type { Commitment } from '../../chain/slots.js';
import type { RpcContext } from './context.js';
import { RPC_CODES, RpcError } from './errors.js';
import { type BlockShape, encodeBlock } from './methods/blocks.js';

/** The most slots in individual notifications when many have passed at once. */
const MAX_SLOTS_AT_ONCE = 32;

/** The last slot at each commitment, and the last one in which no further transaction can run. */
export type SlotPositions = Readonly<Record<Commitment | 'complete', number>>;

/** `slot` of every one, `root` of those that become final, `slotsUpdates` of each step. */
export type SlotKind = 'slot' | 'root' | 'slotsUpdates';

export interface SlotsPassed {
  readonly from: SlotPositions;
  readonly to: SlotPositions;
}

/** The present slots of a chain. In frozen time a slot holds one transaction. */
export function slotPositions({ chain }: RpcContext): SlotPositions {
  const processed = chain.slotAt('processed');
  return {
    processed,
    confirmed: chain.slotAt('confirmed'),
    finalized: chain.slotAt('finalized'),
    complete: chain.isFrozen() ? processed : processed - 1,
  };
}

/** Slots with a block after `first` and up to `last`; only the newest if there are many. */
function between({ chain }: RpcContext, first: number, last: number): number[] {
  const height = chain.heightIn(last);
  return chain.slotsOfBlocks(Math.max(chain.heightIn(first) + 1, height - MAX_SLOTS_AT_ONCE + 1), height);
}

/** The slot of the block that precedes a slot's block. */
function parentOf({ chain }: RpcContext, slot: number): number {
  return chain.slotOfHeight(chain.heightIn(slot) - 1);
}

function completed({ from, to }: SlotsPassed, commitment: Commitment): [number, number] {
  return [Math.min(from[commitment], from.complete), Math.min(to[commitment], to.complete)];
}

/** The updates that validators publish of a slot as it passes, in this order. Source: SlotUpdate of Agave's rpc-client-types. */
function slotUpdates(context: RpcContext, passed: SlotsPassed): object[] {
  const timestamp = context.chain.nowMs();
  const updates = (type: string, slots: readonly number[], more: (slot: number) => object = () => ({})) =>
    slots.map((slot) => ({ type, slot, timestamp, ...more(slot) }));
  const ended = between(context, ...completed(passed, 'processed'));
  const stats = (slot: number) => {
    const records = context.view.transactionsAt(slot);
    const failed = records.filter(({ error }) => error !== null).length;
    return {
      numTransactionEntries: records.length,
      numSuccessfulTransactions: records.length - failed,
      numFailedTransactions: failed,
      maxTransactionsPerEntry: Math.min(1, records.length),
    };
  };
  return [
    ...updates('createdBank', between(context, passed.from.processed, passed.to.processed), (slot) => ({
      parent: parentOf(context, slot),
    })),
    ...updates('completed', ended),
    ...updates('frozen', ended, (slot) => ({ stats: stats(slot) })),
    ...updates('optimisticConfirmation', between(context, ...completed(passed, 'confirmed'))),
    ...updates('root', between(context, ...completed(passed, 'finalized'))),
  ].toSorted((a, b) => a.slot - b.slot);
}

/** The results of the notifications about slots that have passed. */
export function slotNotifications(context: RpcContext, kind: SlotKind, passed: SlotsPassed): unknown[] {
  const { from, to } = passed;
  switch (kind) {
    case 'slotsUpdates':
      return slotUpdates(context, passed);
    case 'root':
      return between(context, from.finalized, to.finalized);
    case 'slot':
      return between(context, from.processed, to.processed).map((slot) => {
        const root = Math.max(0, slot - (to.processed - to.finalized));
        return { slot, parent: parentOf(context, slot), root };
      });
  }
}

interface WantedBlocks {
  readonly commitment: Commitment;
  /** Only transactions that mention this address, and blocks with such transactions; `null` for all. */
  readonly mentions: string | null;
  readonly shape: BlockShape;
}

async function blockValue(
  context: RpcContext,
  slot: number,
  records: readonly TransactionRecord[],
  shape: BlockShape,
): Promise<object> {
  try {
    return { slot, block: await encodeBlock(context, slot, records, shape), err: null };
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== RPC_CODES.unsupportedTransactionVersion) throw error;
    return { slot, block: null, err: { UnsupportedTransactionVersion: 0 } };
  }
}

/** The results of the notifications about blocks that have passed: all with transactions, and the newest without. */
export async function blockNotifications(
  context: RpcContext,
  { mentions, commitment, shape }: WantedBlocks,
  passed: SlotsPassed,
): Promise<object[]> {
  const [first, last] = completed(passed, commitment);
  const full = context.view.slotsWithTransactions(first, last);
  const slots = mentions === null ? [...new Set([...full, ...between(context, first, last)])] : full;
  const found: object[] = [];
  for (const slot of slots.toSorted((a, b) => a - b)) {
    const records = context.view
      .transactionsAt(slot)
      .filter(({ accountKeys }) => mentions === null || accountKeys.includes(mentions));
    if (mentions !== null && records.length === 0) continue;
    found.push({ context: { slot }, value: await blockValue(context, slot, records, shape) });
  }
  return found;
}
