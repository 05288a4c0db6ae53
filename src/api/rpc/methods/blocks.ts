import type { Commitment } from '../../../chain/slots.js';
import { parseTransaction } from '../../../chain/wire.js';
import type { MethodTable, RpcContext } from '../context.js';
import { balancesOf } from '../encoding/balances.js';
import {
  type TransactionEncoding,
  encodeAccountList,
  encodeMeta,
  versionOf,
} from '../encoding/transaction.js';
import { RPC_CODES, RpcError, invalidParam } from '../errors.js';
import type { Config, Params } from '../params.js';
import { atLeastConfirmed, encodeRecord, transactionShape } from './transactions.js';

/** Agave's MAX_GET_CONFIRMED_BLOCKS_RANGE. */
const MAX_RANGE = 500_000;

function available(context: RpcContext, slot: number, commitment: Commitment): void {
  if (slot > context.chain.slotAt(commitment)) {
    throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
  }
}

/** The members of a getBlock response other than its transactions. */
function headerOf(context: RpcContext, slot: number): object {
  const parentSlot = Math.max(0, slot - 1);
  return {
    blockhash: context.chain.blockhashAt(slot),
    previousBlockhash: context.chain.blockhashAt(parentSlot),
    parentSlot,
    blockHeight: slot,
    blockTime: context.view.blockTime(slot),
  };
}

async function detailsOf(
  context: RpcContext,
  slot: number,
  shape: { config: Config; encoding: TransactionEncoding; max: number | undefined },
): Promise<object> {
  const details =
    shape.config.oneOf('transactionDetails', ['full', 'accounts', 'signatures', 'none']) ?? 'full';
  const records = context.view.transactionsAt(slot);
  switch (details) {
    case 'none':
      return {};
    case 'signatures':
      return { signatures: records.map(({ signature }) => signature) };
    case 'full':
      return {
        transactions: await Promise.all(records.map((record) => encodeRecord(context, record, shape))),
      };
    case 'accounts':
      return {
        transactions: await Promise.all(
          records.map(async (record) => {
            const wire = parseTransaction(record.bytes);
            const { pre, post } = await context.view.accountsOf(record);
            const balances = balancesOf(pre, post, await context.decimals([...pre, ...post]));
            const { err, status, fee } = encodeMeta(record, wire, balances, true) as Record<string, unknown>;
            return {
              transaction: encodeAccountList(wire, record.accountKeys),
              meta: { err, status, fee, ...balances },
              ...versionOf(wire, shape),
            };
          }),
        ),
      };
  }
}

function range(from: number, to: number): number[] {
  return to < from ? [] : Array.from({ length: to - from + 1 }, (_, at) => from + at);
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

/** Methods that read blocks. Every slot has one, most are empty. */
export const BLOCK_METHODS: MethodTable = {
  async getBlock(params, context) {
    const slot = params.integer(0, 'slot');
    const shape = transactionShape(params);
    const commitment = atLeastConfirmed(context, shape.config);
    available(context, slot, commitment);
    const rewards = shape.config.get('rewards') === false ? {} : { rewards: [] };
    return { ...headerOf(context, slot), ...(await detailsOf(context, slot, shape)), ...rewards };
  },

  getBlocks(params, context) {
    const { from, to } = blocksRange(params, context);
    return range(from, to);
  },

  getBlocksWithLimit(params, context) {
    const from = params.integer(0, 'startSlot');
    const limit = params.integer(1, 'limit', MAX_RANGE);
    const commitment = atLeastConfirmed(context, params.config(2));
    return range(from, Math.min(from + limit - 1, context.chain.slotAt(commitment)));
  },

  getBlockTime(params, context) {
    const slot = params.integer(0, 'slot');
    available(context, slot, 'processed');
    return context.view.blockTime(slot);
  },

  getFirstAvailableBlock: () => 0,
  minimumLedgerSlot: () => 0,

  getTransactionCount(params, context) {
    const commitment = context.commitment(params.config(0));
    return context.view.transactionCount(context.chain.slotAt(commitment));
  },
};
