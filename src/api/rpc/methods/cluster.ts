import { SLOTS_PER_EPOCH, SLOT_MS } from '../../../chain/slots.js';
import type { MethodTable, RpcContext } from '../context.js';
import { RPC_CODES, RpcError } from '../errors.js';

/** Slots per performance sample, which spans a minute. */
const SAMPLE_SLOTS = 60_000 / SLOT_MS;
const MAX_SAMPLES = 720;
const MAX_FEE_SLOTS = 150;
const MAX_LEADERS = 5_000;

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

/** Methods about slots, blockhashes and the cluster itself; much of it is constant, since there is one node and no stake. */
export const CLUSTER_METHODS: MethodTable = {
  getHealth: () => 'ok',
  getVersion: (_params, { coreVersion }) => ({ 'solana-core': coreVersion, 'feature-set': 0 }),
  getGenesisHash: (_params, { genesisHash }) => genesisHash,
  getIdentity: (_params, { identity }) => ({ identity }),

  getSlot(params, context) {
    return context.chain.slotAt(context.commitment(params.config(0)));
  },

  getBlockHeight(params, context) {
    return context.chain.slotAt(context.commitment(params.config(0)));
  },

  getEpochInfo(params, context) {
    const slot = context.chain.slotAt(context.commitment(params.config(0)));
    return {
      absoluteSlot: slot,
      blockHeight: slot,
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
    return context.at(commitment, context.chain.latestBlockhash(commitment));
  },

  isBlockhashValid(params, context) {
    const blockhash = params.address(0, 'blockhash');
    const commitment = context.commitment(params.config(1));
    return context.at(commitment, context.chain.isBlockhashRecent(blockhash, commitment));
  },

  getRecentPrioritizationFees(params, context) {
    if (params.get(0) !== undefined) params.addresses(0, 'addresses', 128);
    const last = context.chain.slot();
    const first = Math.max(0, last - MAX_FEE_SLOTS + 1);
    return Array.from({ length: last - first + 1 }, (_, at) => ({ slot: first + at, prioritizationFee: 0 }));
  },

  getRecentPerformanceSamples(params, context) {
    return samples(
      context,
      params.get(0) === undefined ? MAX_SAMPLES : params.integer(0, 'limit', MAX_SAMPLES),
    );
  },

  getSlotLeader(params, context) {
    context.commitment(params.config(0));
    return context.identity;
  },

  getSlotLeaders(params, { identity }) {
    params.integer(0, 'startSlot');
    const limit = params.integer(1, 'limit', MAX_LEADERS);
    return Array.from({ length: limit }, () => identity);
  },

  getLeaderSchedule: (_params, { identity }) => ({ [identity]: Array.from({ length: 4 }, (_, at) => at) }),

  getClusterNodes: (_params, { identity, coreVersion }) => [
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
    const commitment = context.commitment(params.config(0));
    const lastSlot = context.chain.slotAt(commitment);
    const firstSlot = lastSlot - (lastSlot % SLOTS_PER_EPOCH);
    const produced = lastSlot - firstSlot + 1;
    return context.at(commitment, {
      byIdentity: { [context.identity]: [produced, produced] },
      range: { firstSlot, lastSlot },
    });
  },

  getInflationGovernor: () => ({ initial: 0, terminal: 0, taper: 0, foundation: 0, foundationTerm: 0 }),

  getInflationRate: (_params, { chain }) => ({
    total: 0,
    validator: 0,
    foundation: 0,
    epoch: Math.floor(chain.slot() / SLOTS_PER_EPOCH),
  }),

  getInflationReward(params) {
    return params.addresses(0, 'addresses', 100).map(() => null);
  },

  getStakeMinimumDelegation(params, context) {
    return context.at(context.commitment(params.config(0)), 1);
  },

  getHighestSnapshotSlot() {
    throw new RpcError(RPC_CODES.noSnapshot, 'No snapshot');
  },

  getMaxRetransmitSlot: (_params, { chain }) => chain.slot(),
  getMaxShredInsertSlot: (_params, { chain }) => chain.slot(),
};
