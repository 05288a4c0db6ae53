import { SLOTS_PER_EPOCH, SLOT_MS } from '../../../chain/slots.js';
import type { MethodTable } from '../context.js';
import { requireReached } from './blocks.js';
import { atLeastConfirmed } from './transactions.js';

/** The inflation of mainnet and devnet. Source: Inflation::full of the Solana SDK. */
const GOVERNOR = { initial: 0.08, terminal: 0.015, taper: 0.15, foundation: 0, foundationTerm: 0 };

/** Source: SECONDS_PER_YEAR of the Solana SDK, which is a tropical year. */
const SLOTS_PER_YEAR = (365.242_199 * 24 * 60 * 60 * 1_000) / SLOT_MS;

const MAX_ADDRESSES = 100;

/** Methods about inflation. There is no stake to pay it to. */
export const INFLATION_METHODS: MethodTable = {
  getInflationGovernor(params) {
    params.commitmentConfig(0).commitment();
    return GOVERNOR;
  },

  // Source: get_inflation_rate of Agave's rpc: that of the year in which the current epoch began.
  getInflationRate(_params, { chain }) {
    const epoch = Math.floor(chain.slot() / SLOTS_PER_EPOCH);
    const years = (epoch * SLOTS_PER_EPOCH) / SLOTS_PER_YEAR;
    const tapered = GOVERNOR.initial * (1 - GOVERNOR.taper) ** years;
    const total = Math.max(tapered, GOVERNOR.terminal);
    return { total, validator: total, foundation: 0, epoch };
  },

  // Source: get_inflation_reward of Agave's rpc: rewards are in the first block of the next epoch, which must be there, in whichever slot.
  getInflationReward(params, context) {
    const addresses = params.addresses(0, 'addresses', MAX_ADDRESSES);
    const config = params.config(1);
    const commitment = atLeastConfirmed(context, config);
    const current = BigInt(Math.floor(context.chain.slotAt(commitment) / SLOTS_PER_EPOCH));
    const epoch = config.u64('epoch') ?? (current === 0n ? 0n : current - 1n);
    requireReached(context, (epoch + 1n) * BigInt(SLOTS_PER_EPOCH), commitment);
    return addresses.map(() => null);
  },
};
