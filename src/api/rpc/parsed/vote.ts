import {
  type ByteReader,
  InvalidBytes,
  type Layout,
  address,
  bool,
  list,
  option,
  struct,
  u32,
  u64,
  u8,
} from '../../../chain/solana/layout.js';
import { type Info, type Typed, addressUnlessZero, json64, jsonSigned64, u64Text } from './form.js';

/** The entries of the ring of earlier voters. Source: CircBuf of the vote program. */
const PRIOR_VOTERS = 32;

const lockout = struct({ slot: json64, confirmationCount: u32 });

function landedVote(reader: ByteReader): Info {
  u8(reader); // its latency, which is not shown
  return lockout(reader);
}

const voterRing = list(
  struct({
    authorizedPubkey: addressUnlessZero,
    epochOfLastAuthorizedSwitch: json64,
    targetEpoch: json64,
  }),
  () => PRIOR_VOTERS,
);

function priorVoters(reader: ByteReader): Info[] {
  const all = voterRing(reader);
  u64(reader); // the newest entry
  bool(reader); // whether there is none
  return all.filter(({ authorizedPubkey }) => authorizedPubkey !== null);
}

/** The votes, the root and the voters of an account of version 1.14.11 or 3, which differ in the form of votes alone. */
const recent = (vote: Layout<Info>) =>
  struct({
    nodePubkey: address,
    authorizedWithdrawer: address,
    commission: u8,
    votes: list(vote),
    rootSlot: option(json64),
    authorizedVoters: list(struct({ epoch: json64, authorizedVoter: address })),
    priorVoters,
  });

/** The oldest version has one voter; its earlier voters are dropped when it is read. */
const oldest: Layout<Info> = (reader) => {
  const nodePubkey = address(reader);
  const voter = address(reader);
  const authorizedVoters = [{ epoch: json64(reader), authorizedVoter: voter }];
  reader.skip(PRIOR_VOTERS * (32 + 3 * 8) + 8);
  return {
    nodePubkey,
    authorizedWithdrawer: address(reader),
    commission: u8(reader),
    votes: list(lockout)(reader),
    rootSlot: option(json64)(reader),
    authorizedVoters,
    priorVoters: [],
  };
};

// By version.
const STATES = [oldest, recent(lockout), recent(landedVote)];

const statistics = struct({
  epochCredits: list(struct({ epoch: json64, credits: u64Text, previousCredits: u64Text })),
  lastTimestamp: struct({ slot: json64, timestamp: jsonSigned64 }),
});

/** A vote account. Source: parse_vote.rs of Agave's account-decoder, and VoteStateVersions of the vote program. */
export function parseVote(reader: ByteReader): Typed {
  const state = STATES[u32(reader)];
  if (state === undefined) throw new InvalidBytes('the version of a vote account is unknown');
  return { type: 'vote', info: { ...state(reader), ...statistics(reader) } };
}
