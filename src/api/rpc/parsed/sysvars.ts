import { SYSVARS } from '../../../chain/solana/addresses.js';
import {
  type ByteReader,
  type Layout,
  address as hash,
  bool,
  f64,
  list,
  struct,
  u128,
  u64,
  u8,
} from '../../../chain/solana/layout.js';
import { type Info, type Typed, json64, jsonSigned64, typed, u64Text } from './form.js';

/** The number of slots in SlotHistory. Source: MAX_ENTRIES of Solana's SlotHistory. */
const HISTORY_SLOTS = 1_048_576;

const feeCalculator = struct({ lamportsPerSignature: u64Text });

/** The eight bits of each byte, lowest first. */
const DIGITS = Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }, (_bit, bit) => (byte >> bit) & 1).join(''),
);

/** One digit for each slot. The bits are there, in a list of 64-bit words, followed by their number. */
function slotHistory(reader: ByteReader): Info {
  bool(reader);
  u64(reader);
  const bytes = reader.take(HISTORY_SLOTS / 8);
  u64(reader);
  return { bits: Array.from(bytes, (byte) => DIGITS[byte]).join(''), nextSlot: json64(reader) };
}

function rewards(reader: ByteReader): Info {
  const validatorPointValue = f64(reader);
  f64(reader); // unused
  return { validatorPointValue };
}

const clock = struct({
  slot: json64,
  epochStartTimestamp: jsonSigned64,
  epoch: json64,
  leaderScheduleEpoch: json64,
  unixTimestamp: jsonSigned64,
});

const epochSchedule = struct({
  slotsPerEpoch: json64,
  leaderScheduleSlotOffset: json64,
  warmup: bool,
  firstNormalEpoch: json64,
  firstNormalSlot: json64,
});

const epochRewards = struct({
  distributionStartingBlockHeight: json64,
  numPartitions: json64,
  parentBlockhash: hash,
  totalPoints: (reader: ByteReader) => u128(reader).toString(),
  totalRewards: u64Text,
  distributedRewards: u64Text,
  active: bool,
});

const rent = struct({ lamportsPerByteYear: u64Text, exemptionThreshold: f64, burnPercent: u8 });
const stakeEntry = struct({ effective: json64, activating: json64, deactivating: json64 });

// By address. Members are read in byte order.
const FORMS: ReadonlyMap<string, Layout<Typed>> = new Map([
  [SYSVARS.clock, typed('clock', clock)],
  [SYSVARS.rent, typed('rent', rent)],
  [SYSVARS.epochSchedule, typed('epochSchedule', epochSchedule)],
  [SYSVARS.fees, typed('fees', struct({ feeCalculator }))],
  [SYSVARS.recentBlockhashes, typed('recentBlockhashes', list(struct({ blockhash: hash, feeCalculator })))],
  [SYSVARS.rewards, typed('rewards', rewards)],
  [SYSVARS.slotHashes, typed('slotHashes', list(struct({ slot: json64, hash })))],
  [SYSVARS.slotHistory, typed('slotHistory', slotHistory)],
  [SYSVARS.stakeHistory, typed('stakeHistory', list(struct({ epoch: json64, stakeHistory: stakeEntry })))],
  [SYSVARS.lastRestartSlot, typed('lastRestartSlot', struct({ lastRestartSlot: json64 }))],
  [SYSVARS.epochRewards, typed('epochRewards', epochRewards)],
]);

/** A sysvar. Source: parse_sysvar.rs of Agave's account-decoder. */
export function parseSysvar(reader: ByteReader, of: string): Typed | null {
  return FORMS.get(of)?.(reader) ?? null;
}
