import bs58 from 'bs58';
import { SYSVARS } from '../../../chain/solana/addresses.js';
import type { Info } from './form.js';
import { ByteReader } from './reader.js';

/** The slots whose presence SlotHistory tells. Source: MAX_ENTRIES of Solana's SlotHistory. */
const HISTORY_SLOTS = 1_048_576;

interface Sysvar {
  readonly type: string;
  readonly read: (reader: ByteReader) => Info | readonly Info[];
}

const feeCalculator = (reader: ByteReader): Info => ({ lamportsPerSignature: reader.u64().toString() });
const hash = (reader: ByteReader): string => bs58.encode(reader.bytes(32));

/** The eight bits of each byte, lowest first. */
const DIGITS = Array.from({ length: 256 }, (_, byte) =>
  Array.from({ length: 8 }, (_bit, bit) => (byte >> bit) & 1).join(''),
);

/** One digit for each slot. The bits are there, in a list of 64-bit words, followed by their number. */
function slotHistory(reader: ByteReader): Info {
  reader.bool();
  reader.u64();
  const bytes = reader.bytes(HISTORY_SLOTS / 8);
  reader.u64();
  return { bits: Array.from(bytes, (byte) => DIGITS[byte]).join(''), nextSlot: reader.json64() };
}

// By address. Members are read in byte order.
const FORMS: ReadonlyMap<string, Sysvar> = new Map<string, Sysvar>([
  [
    SYSVARS.clock,
    {
      type: 'clock',
      read: (reader) => ({
        slot: reader.json64(),
        epochStartTimestamp: reader.jsonSigned64(),
        epoch: reader.json64(),
        leaderScheduleEpoch: reader.json64(),
        unixTimestamp: reader.jsonSigned64(),
      }),
    },
  ],
  [
    SYSVARS.rent,
    {
      type: 'rent',
      read: (reader) => ({
        lamportsPerByteYear: reader.u64().toString(),
        exemptionThreshold: reader.f64(),
        burnPercent: reader.u8(),
      }),
    },
  ],
  [
    SYSVARS.epochSchedule,
    {
      type: 'epochSchedule',
      read: (reader) => ({
        slotsPerEpoch: reader.json64(),
        leaderScheduleSlotOffset: reader.json64(),
        warmup: reader.bool(),
        firstNormalEpoch: reader.json64(),
        firstNormalSlot: reader.json64(),
      }),
    },
  ],
  [SYSVARS.fees, { type: 'fees', read: (reader) => ({ feeCalculator: feeCalculator(reader) }) }],
  [
    SYSVARS.recentBlockhashes,
    {
      type: 'recentBlockhashes',
      read: (reader) =>
        reader.list(() => ({ blockhash: hash(reader), feeCalculator: feeCalculator(reader) })),
    },
  ],
  [
    SYSVARS.rewards,
    {
      type: 'rewards',
      read: (reader) => {
        const validatorPointValue = reader.f64();
        reader.f64(); // unused
        return { validatorPointValue };
      },
    },
  ],
  [
    SYSVARS.slotHashes,
    {
      type: 'slotHashes',
      read: (reader) => reader.list(() => ({ slot: reader.json64(), hash: hash(reader) })),
    },
  ],
  [SYSVARS.slotHistory, { type: 'slotHistory', read: slotHistory }],
  [
    SYSVARS.stakeHistory,
    {
      type: 'stakeHistory',
      read: (reader) =>
        reader.list(() => ({
          epoch: reader.json64(),
          stakeHistory: {
            effective: reader.json64(),
            activating: reader.json64(),
            deactivating: reader.json64(),
          },
        })),
    },
  ],
  [
    SYSVARS.lastRestartSlot,
    { type: 'lastRestartSlot', read: (reader) => ({ lastRestartSlot: reader.json64() }) },
  ],
  [
    SYSVARS.epochRewards,
    {
      type: 'epochRewards',
      read: (reader) => ({
        distributionStartingBlockHeight: reader.json64(),
        numPartitions: reader.json64(),
        parentBlockhash: hash(reader),
        totalPoints: reader.u128().toString(),
        totalRewards: reader.u64().toString(),
        distributedRewards: reader.u64().toString(),
        active: reader.bool(),
      }),
    },
  ],
]);

/** A sysvar. Source: parse_sysvar.rs of Agave's account-decoder. */
export function parseSysvar(
  address: string,
  data: Uint8Array,
): { readonly type: string; readonly info: Info | readonly Info[] } | null {
  const sysvar = FORMS.get(address);
  if (sysvar === undefined) return null;
  const reader = new ByteReader(data);
  const info = sysvar.read(reader);
  return reader.failed ? null : { type: sysvar.type, info };
}
