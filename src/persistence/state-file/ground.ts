import type { ChainMark } from '../../chain/chain.js';
import type { Fate } from '../../chain/transaction-faults.js';
import type { ExpectedChanges } from '../../chain/prediction.js';
import type { OwnTransaction } from '../../chain/submission.js';
import {
  type Cause,
  type ConfirmTrouble,
  type SubmitTrouble,
  type Trouble,
  UNASKED,
} from '../../core/domain/cause.js';
import type { GroundMark } from '../../runtime/embedded-chain.js';
import { account, address } from './accounts.js';
import { history } from './chain-log.js';
import {
  type Codec,
  big,
  bytes,
  flag,
  map,
  nativeMap,
  nullable,
  number,
  orderedMap,
  struct,
  text,
  union,
  via,
} from './codec.js';

const note = nullable(text);

/** Why something happens. What nobody asked for is one value, which others compare with. */
export const cause: Codec<Cause> = via(
  struct<Cause>({
    requestId: note,
    trouble: nullable(
      struct<Trouble>({
        submit: nullable(
          union<SubmitTrouble>({ drop: {}, delay: { ms: number }, expire: {}, unavailable: {} }),
        ),
        confirm: nullable(union<ConfirmTrouble>({ delay: { ms: number }, unavailable: {} })),
        oracleIsOut: flag,
      }),
    ),
  }),
  {
    encode: (value) => value,
    decode: (value) => (value.requestId === null && value.trouble === null ? UNASKED : value),
  },
);

const chain = struct<ChainMark>({
  history,
  accounts: map(address, nullable(account)),
  extraSlots: number,
});

const changes = struct<ExpectedChanges>({ lamports: nativeMap(text, big), tokens: nativeMap(text, big) });

/** Of the bank's own transactions only what they change is kept while they are delayed. */
const own: Codec<OwnTransaction> = via(nullable(changes), {
  encode: (transaction) => transaction.changes,
  decode: (expected) => ({ changes: expected }),
});

const fate = union<Fate>({
  lost: { deadSlot: number },
  delayed: { atMs: number, bytes, own: nullable(own), deadSlot: number, cause },
  held: { untilMs: number },
});

/** The transactions that something went wrong with. */
export const fates = orderedMap(text, fate);

/** The chain, its faucet, and the transactions that something went wrong with. */
export const ground: Codec<GroundMark> = struct<GroundMark>({
  chain,
  faucet: number,
  fates,
});
