import type { Info, Typed } from './form.js';
import { ByteReader } from './reader.js';

/** The entries of the ring of earlier voters. Source: CircBuf of the vote program. */
const PRIOR_VOTERS = 32;
const ADDRESS_BYTES = 32;

// Versions of the state, by number.
const V0_23_5 = 0;
const V1_14_11 = 1;
const V3 = 2;

const lockout = (reader: ByteReader): Info => ({ slot: reader.json64(), confirmationCount: reader.u32() });

function landedVote(reader: ByteReader): Info {
  reader.u8(); // its latency, which is not shown
  return lockout(reader);
}

const epochCredits = (reader: ByteReader): Info => ({
  epoch: reader.json64(),
  credits: reader.u64().toString(),
  previousCredits: reader.u64().toString(),
});

const authorizedVoter = (reader: ByteReader): Info => ({
  epoch: reader.json64(),
  authorizedVoter: reader.address(),
});

function priorVoters(reader: ByteReader): Info[] {
  const all = Array.from({ length: PRIOR_VOTERS }, () => ({
    authorizedPubkey: reader.addressUnlessZero(),
    epochOfLastAuthorizedSwitch: reader.json64(),
    targetEpoch: reader.json64(),
  }));
  reader.u64(); // the newest entry
  reader.bool(); // whether there is none
  return all.filter(({ authorizedPubkey }) => authorizedPubkey !== null);
}

/** The votes, the root and the voters of an account of version 1.14.11 or 3, which differ in the form of votes alone. */
function recent(reader: ByteReader, vote: (reader: ByteReader) => Info): Info {
  return {
    nodePubkey: reader.address(),
    authorizedWithdrawer: reader.address(),
    commission: reader.u8(),
    votes: reader.list(vote),
    rootSlot: reader.bool() ? reader.json64() : null,
    authorizedVoters: reader.list(authorizedVoter),
    priorVoters: priorVoters(reader),
  };
}

/** The oldest version knows one voter; its earlier ones are dropped when it is read. */
function oldest(reader: ByteReader): Info {
  const nodePubkey = reader.address();
  const voter = reader.address();
  const authorizedVoters = [{ epoch: reader.json64(), authorizedVoter: voter }];
  reader.bytes(PRIOR_VOTERS * (ADDRESS_BYTES + 3 * 8) + 8);
  return {
    nodePubkey,
    authorizedWithdrawer: reader.address(),
    commission: reader.u8(),
    votes: reader.list(lockout),
    rootSlot: reader.bool() ? reader.json64() : null,
    authorizedVoters,
    priorVoters: [],
  };
}

/** A vote account. Source: parse_vote.rs of Agave's account-decoder, and VoteStateVersions of the vote program. */
export function parseVote(data: Uint8Array): Typed | null {
  const reader = new ByteReader(data);
  const version = reader.u32();
  if (reader.failed || version > V3) return null;
  const state =
    version === V0_23_5 ? oldest(reader) : recent(reader, version === V1_14_11 ? lockout : landedVote);
  const info = {
    ...state,
    epochCredits: reader.list(epochCredits),
    lastTimestamp: { slot: reader.json64(), timestamp: reader.jsonSigned64() },
  };
  return reader.failed ? null : { type: 'vote', info };
}
