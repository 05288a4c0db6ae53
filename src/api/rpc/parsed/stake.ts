import {
  type ByteReader,
  type Layout,
  address,
  f64,
  readLayout,
  struct,
  u32,
  u8,
  variant,
} from '../../../chain/solana/layout.js';
import { type Typed, json64, jsonSigned64, u64Text } from './form.js';

const type = variant(['uninitialized', 'initialized', 'delegated', 'rewardsPool'], u32);

const meta = struct({
  rentExemptReserve: u64Text,
  authorized: struct({ staker: address, withdrawer: address }),
  lockup: struct({ unixTimestamp: jsonSigned64, epoch: json64, custodian: address }),
});

const delegation = struct({
  voter: address,
  stake: u64Text,
  activationEpoch: u64Text,
  deactivationEpoch: u64Text,
});

interface Stake {
  readonly meta: ReturnType<typeof meta>;
  readonly stake: {
    readonly delegation: ReturnType<typeof delegation>;
    readonly creditsObserved: number | bigint;
  } | null;
}

/** The type of a stake account, and the data of an initialized one. Source: StakeStateV2 of the stake program. */
const stakeState: Layout<{ readonly type: string; readonly info: Stake | null }> = (reader) => {
  const kind = type(reader);
  if (kind === 'uninitialized' || kind === 'rewardsPool') return { type: kind, info: null };
  const info = { meta: meta(reader), stake: null };
  if (kind === 'initialized') return { type: kind, info };
  const delegated = delegation(reader);
  f64(reader); // the rate of warming up and cooling down, which is not shown
  const stake = { delegation: delegated, creditsObserved: json64(reader) };
  u8(reader); // flags, which are not shown
  return { type: kind, info: { ...info, stake } };
};

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

/** Reads the delegation of a stake account; null unless it is initialized. */
export function delegationOf(data: Uint8Array): Delegation | null {
  const info = readLayout(stakeState, data)?.info ?? null;
  if (info === null) return null;
  const delegated = info.stake?.delegation;
  return {
    rentExemptReserve: BigInt(info.meta.rentExemptReserve),
    stake:
      delegated === undefined
        ? null
        : {
            lamports: BigInt(delegated.stake),
            activationEpoch: BigInt(delegated.activationEpoch),
            deactivationEpoch: BigInt(delegated.deactivationEpoch),
          },
  };
}

/** A stake account. Source: parse_stake.rs of Agave's account-decoder. */
export function parseStake(reader: ByteReader): Typed | { readonly type: string } {
  const { type: kind, info } = stakeState(reader);
  return info === null ? { type: kind } : { type: kind, info };
}
