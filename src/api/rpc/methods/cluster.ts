import { unitPrice } from '../../../chain/fees.js';
import { parseTransaction } from '../../../chain/solana/wire.js';
import { SLOTS_PER_EPOCH, SLOT_MS } from '../../../chain/slots.js';
import type { MethodTable, RpcContext } from '../context.js';
import { invalidParam, invalidParams } from '../errors.js';
import { type Config, type Params, addressText } from '../params.js';

/** Slots per performance sample, which spans a minute. */
const SAMPLE_SLOTS = 60_000 / SLOT_MS;
const MAX_SAMPLES = 720;
const MAX_FEE_BLOCKS = 150;
/** Source: MAX_TX_ACCOUNT_LOCKS of the Solana SDK. */
const MAX_FEE_ADDRESSES = 128;
const MAX_LEADERS = 5_000;
/** Slots that SlotHistory covers. Source: Solana's MAX_ENTRIES of it. */
const HISTORY_SLOTS = 1_048_576;

/** Leaders are known up to the epoch after the current one. */
function isScheduled({ chain }: RpcContext, slot: bigint): boolean {
  return slot / BigInt(SLOTS_PER_EPOCH) <= Math.floor(chain.slot() / SLOTS_PER_EPOCH) + 1;
}

function identityIn(config: Config): string | undefined {
  const identity = config.get('identity');
  return identity === undefined ? undefined : addressText(identity, 'identity');
}

/** `getLeaderSchedule(slot?, config?)`: the slot may be omitted before the options. */
function leaderSchedule(params: Params, context: RpcContext): object | null {
  const isConfig = typeof params.get(0) === 'object';
  const config = params.config(isConfig ? 0 : 1);
  const identity = identityIn(config);
  const { chain } = context;
  const now = chain.slotAt(config.commitment());
  const slot = isConfig || params.get(0) === undefined ? BigInt(now) : params.u64(0, 'slot');
  if (!isScheduled(context, slot)) return null;
  if (identity !== undefined && identity !== context.world.identity) return {};
  return { [context.world.identity]: Array.from({ length: SLOTS_PER_EPOCH }, (_, at) => at) };
}

/** The slots of a range; the default is the epoch so far. Source: get_block_production of Agave's rpc. */
function productionRange(config: Config, current: number): { firstSlot: number; lastSlot: number } {
  const range = config.config('range');
  if (range === undefined) return { firstSlot: current - (current % SLOTS_PER_EPOCH), lastSlot: current };
  const firstSlot = range.u64('firstSlot');
  if (firstSlot === undefined) throw invalidParam('range needs firstSlot');
  const lastSlot = range.u64('lastSlot') ?? BigInt(current);
  if (lastSlot < firstSlot)
    throw invalidParams(`lastSlot, ${lastSlot}, cannot be less than firstSlot, ${firstSlot}`);
  const oldest = Math.max(0, current + 1 - HISTORY_SLOTS);
  if (firstSlot < oldest) throw invalidParams(`firstSlot, ${firstSlot}, is too small; min ${oldest}`);
  if (lastSlot > current) throw invalidParams(`lastSlot, ${lastSlot}, is too large; max ${current}`);
  return { firstSlot: Number(firstSlot), lastSlot: Number(lastSlot) };
}

function samples(context: RpcContext, limit: number): object[] {
  const slot = context.chain.slot();
  const found: object[] = [];
  for (let end = slot - (slot % SAMPLE_SLOTS) - 1; end >= 0 && found.length < limit; end -= SAMPLE_SLOTS) {
    const before = end - SAMPLE_SLOTS;
    const numTransactions = context.view.transactionCount(end) - context.view.transactionCount(before);
    found.push({
      slot: end,
      numSlots: SAMPLE_SLOTS,
      numTransactions,
      numNonVoteTransactions: numTransactions,
      samplePeriodSecs: 60,
    });
  }
  return found;
}

/**
 * The lowest price of compute units in a block, or the lowest that was paid to write one of some accounts if that is higher.
 * Source: get_prioritization_fees of Agave's runtime.
 */
function prioritizationFee(context: RpcContext, slot: number, addresses: readonly string[]): bigint {
  const paid = context.view.transactionsAt(slot).map(({ bytes, touched }) => ({
    price: unitPrice(parseTransaction(bytes)),
    written: new Set(touched.map(({ address }) => address)),
  }));
  const lowest = (some: typeof paid) =>
    some.reduce((least, { price }) => (price < least ? price : least), some[0]?.price ?? 0n);
  return addresses
    .map((address) => lowest(paid.filter(({ written }) => written.has(address))))
    .reduce((most, price) => (price > most ? price : most), lowest(paid));
}

/** Methods about slots, blockhashes and the cluster itself; much of it is constant, since there is one node and no stake. */
export const CLUSTER_METHODS: MethodTable = {
  getHealth: () => 'ok',
  getVersion: (_params, { coreVersion }) => ({ 'solana-core': coreVersion, 'feature-set': 0 }),
  getGenesisHash: (_params, { world }) => world.genesisHash,
  getIdentity: (_params, { world: { identity } }) => ({ identity }),

  getSlot(params, context) {
    return context.chain.slotAt(context.commitment(params.config(0)));
  },

  getBlockHeight(params, context) {
    return context.chain.heightAt(context.commitment(params.config(0)));
  },

  getEpochInfo(params, context) {
    const slot = context.chain.slotAt(context.commitment(params.config(0)));
    return {
      absoluteSlot: slot,
      blockHeight: context.chain.heightIn(slot),
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: context.view.transactionCount(slot),
    };
  },

  getEpochSchedule: () => ({
    slotsPerEpoch: SLOTS_PER_EPOCH,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    warmup: false,
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
  }),

  getLatestBlockhash(params, context) {
    const commitment = context.commitment(params.config(0));
    return context.at(commitment, context.chain.issuedBlockhash(commitment));
  },

  isBlockhashValid(params, context) {
    const blockhash = params.address(0, 'blockhash');
    const commitment = context.commitment(params.config(1));
    return context.at(commitment, context.chain.isBlockhashRecent(blockhash, commitment));
  },

  getRecentPrioritizationFees(params, context) {
    const addresses = params.get(0) === undefined ? [] : params.addresses(0, 'addresses', MAX_FEE_ADDRESSES);
    const last = context.chain.heightAt();
    const slots = context.chain.slotsOfBlocks(Math.max(0, last - MAX_FEE_BLOCKS + 1), last);
    const before = (slots[0] as number) - 1;
    const paid = new Map(
      context.view
        .slotsWithTransactions(before, context.chain.slot())
        .map((slot) => [slot, prioritizationFee(context, slot, addresses)]),
    );
    return slots.map((slot) => ({ slot, prioritizationFee: paid.get(slot) ?? 0 }));
  },

  getRecentPerformanceSamples(params, context) {
    return samples(context, params.get(0) === undefined ? MAX_SAMPLES : params.limit(0, MAX_SAMPLES));
  },

  getSlotLeader(params, context) {
    context.commitment(params.config(0));
    return context.world.identity;
  },

  getSlotLeaders(params, context) {
    const first = params.u64(0, 'startSlot');
    const limit = params.limit(1, MAX_LEADERS);
    const last = limit === 0 ? first : first + BigInt(limit - 1);
    if (limit > 0 && !isScheduled(context, last)) {
      const epoch = (isScheduled(context, first) ? last : first) / BigInt(SLOTS_PER_EPOCH);
      throw invalidParams(`Invalid slot range: leader schedule for epoch ${epoch} is unavailable`);
    }
    return Array.from({ length: limit }, () => context.world.identity);
  },

  getLeaderSchedule: leaderSchedule,

  getClusterNodes: (_params, { world: { identity }, coreVersion }) => [
    {
      pubkey: identity,
      gossip: null,
      tpu: null,
      rpc: null,
      version: coreVersion,
      featureSet: 0,
      shredVersion: 0,
    },
  ],

  getVoteAccounts: () => ({ current: [], delinquent: [] }),

  getBlockProduction(params, context) {
    const config = params.config(0);
    const commitment = context.commitment(config);
    const identity = identityIn(config) ?? context.world.identity;
    const range = productionRange(config, context.chain.slotAt(commitment));
    const { firstSlot, lastSlot } = range;
    const before = firstSlot === 0 ? -1 : context.chain.heightIn(firstSlot - 1);
    const produced = context.chain.heightIn(lastSlot) - before;
    const byIdentity =
      identity === context.world.identity ? { [identity]: [lastSlot - firstSlot + 1, produced] } : {};
    return context.at(commitment, { byIdentity, range });
  },

  getStakeMinimumDelegation(params, context) {
    return context.at(context.commitment(params.config(0)), 1);
  },
};
