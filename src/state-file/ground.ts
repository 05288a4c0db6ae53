import { List, Map as PMap } from 'immutable';
import type { ChainMark } from '../chain/chain.js';
import type { Account, Execution, InnerInstruction } from '../chain/engine.js';
import type { Fate } from '../chain/fates.js';
import {
  type ChainRecord,
  EMPTY_HISTORY,
  type History,
  type TouchedAccount,
  type TransactionRecord,
} from '../chain/history.js';
import type { ExpectedChanges } from '../chain/prediction.js';
import type { OwnTransaction } from '../chain/submission.js';
import {
  type Cause,
  type ConfirmTrouble,
  type SubmitTrouble,
  type Trouble,
  UNASKED,
} from '../domain/cause.js';
import type { GroundMark } from '../library/local-ground.js';
import { anything } from './anything.js';
import {
  type Codec,
  array,
  big,
  bytes,
  flag,
  list,
  map,
  nativeMap,
  nullable,
  number,
  orderedMap,
  shared,
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

/** Accounts stand in records before and after, and among all accounts: each that is the same is written once. */
const account = shared(
  struct<Account>({ lamports: big, data: bytes, owner: text, executable: flag }),
  ({ lamports, data, owner, executable }) =>
    `${lamports}/${owner}/${executable}/${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`,
);

const touched = array(
  struct<TouchedAccount>({ address: text, pre: nullable(account), post: nullable(account) }),
);

const inner = struct<InnerInstruction>({
  programIdIndex: number,
  accounts: array(number),
  data: bytes,
  stackHeight: number,
});

/** What came of a run. Engines tell of it when they are asked; a state holds all that they tell. */
const execution = struct<Execution>({
  executed: flag,
  error: anything(),
  logs: array(text),
  unitsConsumed: big,
  returnData: nullable(struct({ programId: text, data: bytes })),
  innerInstructions: nullable(array(array(inner))),
});

const record = union<ChainRecord>({
  transaction: {
    signature: text,
    bytes,
    requiredSignatures: number,
    accountKeys: array(text),
    slot: number,
    blockTimeSeconds: number,
    error: anything(),
    feeLamports: big,
    execution,
    touched,
  },
  write: { slot: number, blockTimeSeconds: number, touched },
});

/** The history of a chain is its log; the rest finds things in it. */
const history: Codec<History> = via(list(record), {
  encode: ({ log }) => log,
  decode: (log) => {
    const bySignature = PMap<string, TransactionRecord>().asMutable();
    for (const one of log) if (one.kind === 'transaction') bySignature.set(one.signature, one);
    return { ...EMPTY_HISTORY, log: List(log), bySignature: bySignature.asImmutable() };
  },
});

const chain = struct<ChainMark>({
  history,
  accounts: map(text, nullable(account)),
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

/** The chain, its faucet, and the transactions that something went wrong with. */
export const ground: Codec<GroundMark> = struct<GroundMark>({
  chain,
  faucet: number,
  fates: orderedMap(text, fate),
});
