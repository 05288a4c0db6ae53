import type { TransactionRecord } from '../../../chain/history.js';
import type { Commitment } from '../../../chain/slots.js';
import type { MethodTable, RpcContext } from '../context.js';
import type { TransactionEncoding } from '../encoding/transaction.js';
import { RPC_CODES, RpcError, invalidParam } from '../errors.js';
import type { Config, Params } from '../params.js';
import { atLeastConfirmed, encodeRecord, transactionShape } from './transactions.js';

/** Agave's MAX_GET_CONFIRMED_BLOCKS_RANGE. */
const MAX_RANGE = 500_000;

/** Throws RpcError for a slot that has not reached a commitment. */
export function requireReached({ chain }: RpcContext, slot: bigint, commitment: Commitment): void {
  if (slot > chain.slotAt(commitment))
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
}

/** A slot whose block has reached a commitment. Throws RpcError for a later slot, and for a slot that a jump skipped. */
function available(context: RpcContext, slot: bigint, commitment: Commitment): number {
  requireReached(context, slot, commitment);
  const { chain } = context;
  if (chain.slotOfHeight(chain.heightIn(Number(slot))) !== Number(slot))
    throw new RpcError(
      RPC_CODES.slotSkipped,
      `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
    );
  return Number(slot);
}

/** The members of a getBlock response other than its transactions. */
function headerOf(context: RpcContext, slot: number): object {
  const { chain } = context;
  const blockHeight = chain.heightIn(slot);
  const parent = Math.max(0, blockHeight - 1);
  return {
    blockhash: chain.blockhashAt(blockHeight),
    previousBlockhash: chain.blockhashAt(parent),
    parentSlot: chain.slotOfHeight(parent),
    blockHeight,
    blockTime: context.view.blockTime(slot),
  };
}

export interface BlockShape {
  readonly encoding: TransactionEncoding;
  /** The transaction versions that the client supports; undefined for legacy only. */
  readonly max: number | undefined;
  readonly details: 'full' | 'accounts' | 'signatures' | 'none';
  readonly hasRewards: boolean;
}

const DETAILS = ['full', 'accounts', 'signatures', 'none'] as const;

/** Reads how much of its transactions a block contains. Throws invalid params. */
export function blockDetails(config: Config): BlockShape['details'] {
  return config.oneOf('transactionDetails', DETAILS) ?? 'full';
}

async function detailsOf(
  context: RpcContext,
  records: readonly TransactionRecord[],
  shape: BlockShape,
): Promise<object> {
  switch (shape.details) {
    case 'none':
      return {};
    case 'signatures':
      return { signatures: records.map(({ signature }) => signature) };
    case 'full':
    case 'accounts':
      return {
        transactions: await Promise.all(records.map((record) => encodeRecord(context, record, shape))),
      };
  }
}

/** The block of a slot, with `records` as its transactions. Throws RpcError for a version that the client does not support. */
export async function encodeBlock(
  context: RpcContext,
  slot: number,
  records: readonly TransactionRecord[],
  shape: BlockShape,
): Promise<object> {
  const details = await detailsOf(context, records, shape);
  return { ...headerOf(context, slot), ...details, ...(shape.hasRewards ? { rewards: [] } : {}) };
}

/** The height of the first block at or after a slot. */
function heightFrom({ chain }: RpcContext, slot: number): number {
  return slot === 0 ? 0 : chain.heightIn(slot - 1) + 1;
}

/** `getBlocks(start, end?, config?)`: the end may be omitted before the options. */
function blocksRange(params: Params, context: RpcContext): { from: number; to: number } {
  const from = params.integer(0, 'startSlot');
  const second = params.get(1);
  const isConfig = typeof second === 'object';
  const commitment = atLeastConfirmed(context, params.config(isConfig ? 1 : 2));
  const last = context.chain.slotAt(commitment);
  const to = isConfig || second === undefined ? last : Math.min(last, params.integer(1, 'endSlot'));
  if (to - from > MAX_RANGE) throw invalidParam(`the range is too large: at most ${MAX_RANGE} slots`);
  return { from, to };
}

/** Methods that read blocks. Every slot has a block, except slots that a jump skipped; most blocks are empty. */
export const BLOCK_METHODS: MethodTable = {
  async getBlock(params, context) {
    const wanted = params.u64(0, 'slot');
    const { config, ...shape } = transactionShape(params);
    const slot = available(context, wanted, atLeastConfirmed(context, config));
    const hasRewards = config.get('rewards') !== false;
    const records = context.view.transactionsAt(slot);
    return encodeBlock(context, slot, records, { ...shape, details: blockDetails(config), hasRewards });
  },

  getBlocks(params, context) {
    const { from, to } = blocksRange(params, context);
    return context.chain.slotsOfBlocks(heightFrom(context, from), context.chain.heightIn(to));
  },

  getBlocksWithLimit(params, context) {
    const from = params.integer(0, 'startSlot');
    const limit = params.integer(1, 'limit', MAX_RANGE);
    const commitment = atLeastConfirmed(context, params.config(2));
    const first = heightFrom(context, from);
    return context.chain.slotsOfBlocks(
      first,
      Math.min(first + limit - 1, context.chain.heightAt(commitment)),
    );
  },

  getBlockTime(params, context) {
    return context.view.blockTime(available(context, params.u64(0, 'slot'), 'processed'));
  },

  getFirstAvailableBlock: () => 0,
  minimumLedgerSlot: () => 0,

  getTransactionCount(params, context) {
    const commitment = context.commitment(params.config(0));
    return context.view.transactionCount(context.chain.slotAt(commitment));
  },
};
