import type { Info, Typed } from './form.js';
import { CLOCK_SYSVAR, EPOCH_SCHEDULE_SYSVAR, RENT_SYSVAR } from './programs.js';
import { ByteReader } from './reader.js';

// By address. Members are read in byte order.
const SYSVARS: ReadonlyMap<string, { readonly type: string; readonly read: (reader: ByteReader) => Info }> =
  new Map([
    [
      CLOCK_SYSVAR,
      {
        type: 'clock',
        read: (reader: ByteReader) => ({
          slot: reader.json64(),
          epochStartTimestamp: reader.jsonSigned64(),
          epoch: reader.json64(),
          leaderScheduleEpoch: reader.json64(),
          unixTimestamp: reader.jsonSigned64(),
        }),
      },
    ],
    [
      RENT_SYSVAR,
      {
        type: 'rent',
        read: (reader: ByteReader) => ({
          lamportsPerByteYear: reader.u64().toString(),
          exemptionThreshold: reader.f64(),
          burnPercent: reader.u8(),
        }),
      },
    ],
    [
      EPOCH_SCHEDULE_SYSVAR,
      {
        type: 'epochSchedule',
        read: (reader: ByteReader) => ({
          slotsPerEpoch: reader.json64(),
          leaderScheduleSlotOffset: reader.json64(),
          warmup: reader.bool(),
          firstNormalEpoch: reader.json64(),
          firstNormalSlot: reader.json64(),
        }),
      },
    ],
  ]);

/** The sysvars `clock`, `rent` and `epochSchedule`. Source: parse_sysvar.rs of Agave's account-decoder. */
export function parseSysvar(address: string, data: Uint8Array): Typed | null {
  const sysvar = SYSVARS.get(address);
  if (sysvar === undefined) return null;
  const reader = new ByteReader(data);
  const info = sysvar.read(reader);
  return reader.failed ? null : { type: sysvar.type, info };
}
