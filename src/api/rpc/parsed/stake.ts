import type { Info, Typed } from './form.js';
import { ByteReader } from './reader.js';

const TYPES = ['uninitialized', 'initialized', 'delegated', 'rewardsPool'] as const;

const metaOf = (reader: ByteReader): Info => ({
  rentExemptReserve: reader.u64().toString(),
  authorized: { staker: reader.address(), withdrawer: reader.address() },
  lockup: { unixTimestamp: reader.jsonSigned64(), epoch: reader.json64(), custodian: reader.address() },
});

/** The delegation of a stake account, with the lamports that it must keep. */
export interface Delegation {
  readonly rentExemptReserve: bigint;
  /** Null for an account that is initialized and delegates nothing. */
  readonly stake: {
    readonly lamports: bigint;
    readonly activationEpoch: bigint;
    readonly deactivationEpoch: bigint;
  } | null;
}

/** Reads the delegation of a stake account; null unless it is initialized. Source: StakeStateV2 of the stake program. */
export function delegationOf(data: Uint8Array): Delegation | null {
  const parsed = parseStake(data);
  if (parsed === null || !('info' in parsed)) return null;
  const { meta, stake } = parsed.info as {
    meta: { rentExemptReserve: string };
    stake: { delegation: { stake: string; activationEpoch: string; deactivationEpoch: string } } | null;
  };
  const delegation = stake?.delegation;
  return {
    rentExemptReserve: BigInt(meta.rentExemptReserve),
    stake:
      delegation === undefined
        ? null
        : {
            lamports: BigInt(delegation.stake),
            activationEpoch: BigInt(delegation.activationEpoch),
            deactivationEpoch: BigInt(delegation.deactivationEpoch),
          },
  };
}

/** A stake account. Source: parse_stake.rs of Agave's account-decoder, and the layout of StakeStateV2. */
export function parseStake(data: Uint8Array): Typed | { readonly type: string } | null {
  const reader = new ByteReader(data);
  const type = TYPES[reader.u32()];
  if (type === undefined || reader.failed) return null;
  if (type === 'uninitialized' || type === 'rewardsPool') return { type };
  const meta = metaOf(reader);
  if (type === 'initialized') return reader.failed ? null : { type, info: { meta, stake: null } };
  const delegation = {
    voter: reader.address(),
    stake: reader.u64().toString(),
    activationEpoch: reader.u64().toString(),
    deactivationEpoch: reader.u64().toString(),
  };
  reader.f64(); // the rate of warming up and cooling down, which is not shown
  const creditsObserved = reader.json64();
  reader.u8(); // flags, which are not shown
  return reader.failed ? null : { type, info: { meta, stake: { delegation, creditsObserved } } };
}
