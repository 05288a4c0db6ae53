import { SLOTS_PER_EPOCH } from '../../../chain/slots.js';
import type { Method, MethodTable, RpcContext } from '../context.js';
import { invalidParam } from '../errors.js';
import { type Delegation, delegationOf } from '../parsed/stake.js';
import { STAKE_PROGRAM } from '../../../chain/solana/addresses.js';

const FEE_CALCULATOR = { lamportsPerSignature: 5_000 };

/** Source: FeeRateGovernor::default of the Solana SDK. */
const FEE_RATE_GOVERNOR = {
  burnPercent: 50,
  maxLamportsPerSignature: 100_000,
  minLamportsPerSignature: 5_000,
  targetLamportsPerSignature: 10_000,
  targetSignaturesPerSlot: 20_000,
};

/**
 * How much of a stake is active in an epoch. All of it changes at once, between epochs, since StakeHistory is empty here.
 * Source: get_stake_activation of Agave's rpc 1.18, and `stake_activating_and_deactivating` of the stake program.
 */
export function stakeActivation(
  { stake, rentExemptReserve }: Delegation,
  lamports: bigint,
  epoch: bigint,
): object {
  const free = (kept: bigint): bigint => (lamports > kept ? lamports - kept : 0n);
  const inactive = { state: 'inactive', active: 0, inactive: free(rentExemptReserve) };
  if (stake === null || epoch < stake.activationEpoch || epoch > stake.deactivationEpoch) return inactive;
  if (stake.activationEpoch === stake.deactivationEpoch) return inactive;
  if (epoch === stake.activationEpoch) return { state: 'activating', active: 0, inactive: stake.lamports };
  if (epoch < stake.deactivationEpoch) return { state: 'active', active: stake.lamports, inactive: 0 };
  return {
    state: 'deactivating',
    active: stake.lamports,
    inactive: free(stake.lamports + rentExemptReserve),
  };
}

function latest({ chain }: RpcContext, commitment: Parameters<typeof chain.issuedBlockhash>[0]) {
  return { feeCalculator: FEE_CALCULATOR, ...chain.issuedBlockhash(commitment) };
}

const METHODS: MethodTable = {
  getRecentBlockhash(params, context) {
    const commitment = context.commitment(params.config(0));
    const { blockhash, feeCalculator } = latest(context, commitment);
    return context.at(commitment, { blockhash, feeCalculator });
  },

  getFees(params, context) {
    const commitment = context.commitment(params.config(0));
    const fees = latest(context, commitment);
    return context.at(commitment, { ...fees, lastValidSlot: fees.lastValidBlockHeight });
  },

  getFeeCalculatorForBlockhash(params, context) {
    const blockhash = params.address(0, 'blockhash');
    const commitment = context.commitment(params.config(1));
    const isKnown = context.chain.isBlockhashRecent(blockhash, commitment);
    return context.at(commitment, isKnown ? { feeCalculator: FEE_CALCULATOR } : null);
  },

  getFeeRateGovernor: (_params, context) => context.at('processed', { feeRateGovernor: FEE_RATE_GOVERNOR }),

  async getStakeActivation(params, context) {
    const address = params.address(0, 'pubkey');
    const config = params.config(1);
    const commitment = context.commitment(config);
    const current = BigInt(Math.floor(context.chain.slotAt(commitment) / SLOTS_PER_EPOCH));
    const epoch = config.u64('epoch') ?? current;
    if (epoch !== current)
      throw invalidParam(`epoch ${epoch}. Only the current epoch (${current}) is supported`);
    const account = await context.view.account(address, commitment);
    if (account === null) throw invalidParam('account not found');
    if (account.owner !== STAKE_PROGRAM) throw invalidParam('not a stake account');
    const delegation = delegationOf(account.data);
    if (delegation === null) throw invalidParam('stake account not initialized');
    return stakeActivation(delegation, account.lamports, epoch);
  },
};

const RENAMED: Readonly<Record<string, string>> = {
  getConfirmedBlock: 'getBlock',
  getConfirmedBlocks: 'getBlocks',
  getConfirmedBlocksWithLimit: 'getBlocksWithLimit',
  getConfirmedSignaturesForAddress2: 'getSignaturesForAddress',
  getConfirmedTransaction: 'getTransaction',
  getSnapshotSlot: 'getHighestSnapshotSlot',
};

/** `current` with the methods that nodes of version 1.18 still had; Agave 2.0 removed them. Source: rpc_deprecated_v1_7 and v1_9 of Solana's rpc. */
export function withMethodsOfVersion1(current: MethodTable): MethodTable {
  const renamed = Object.entries(RENAMED).map(([old, name]) => [old, current[name] as Method] as const);
  return { ...current, ...METHODS, ...Object.fromEntries(renamed) };
}
