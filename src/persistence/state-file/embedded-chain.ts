import type { ChainSnapshot } from '../../chain/chain.js';
import { type ChainRecord, append } from '../../chain/history.js';
import type { InjectedTransaction } from '../../chain/transaction-faults.js';
import type { ExpectedChanges } from '../../chain/prediction.js';
import type { SubmitPolicy } from '../../chain/submission.js';
import {
  type RequestContext,
  type ConfirmFault,
  type SubmitFault,
  type InjectedFaults,
  NO_REQUEST,
} from '../../core/domain/request-context.js';
import type { EmbeddedChainSnapshot } from '../../runtime/embedded-chain.js';
import { account, address, history, records } from './chain-log.js';
import {
  type Codec,
  big,
  bytes,
  counter,
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
import { type Field, after, always, fields, whenChanged } from './field.js';

const note = nullable(text);

/** A request context. The empty one is a singleton, compared by identity. */
export const cause: Codec<RequestContext> = via(
  struct<RequestContext>({
    requestId: note,
    trouble: nullable(
      struct<InjectedFaults>({
        submit: nullable(
          union<SubmitFault>({ drop: {}, delay: { ms: number }, expire: {}, unavailable: {} }),
        ),
        confirm: nullable(union<ConfirmFault>({ delay: { ms: number }, unavailable: {} })),
        oracleIsOut: flag,
      }),
    ),
  }),
  {
    encode: (value) => value,
    decode: (value) => (value.requestId === null && value.trouble === null ? NO_REQUEST : value),
  },
);

/** Accounts change by records only. */
const chain: Field<ChainSnapshot, { records: readonly ChainRecord[]; extraSlots: number }> = {
  ...struct<ChainSnapshot>({ history, accounts: map(address, nullable(account)), extraSlots: number }),
  changes: { records, extraSlots: number },
  hasChanged: (before, now) => before.history.log !== now.history.log || before.extraSlots !== now.extraSlots,
  diff: (before, { history: { log }, extraSlots }, changes) => {
    changes.records = after(log, before.history.log.size);
    changes.extraSlots = extraSlots;
  },
  apply: (value, { records: added, extraSlots }) => ({
    history: added.reduce(append, value.history),
    accounts: value.accounts.withMutations((all) => {
      for (const { touched } of added) for (const { address: at, post } of touched) all.set(at, post);
    }),
    extraSlots,
  }),
};

const changes = struct<ExpectedChanges>({ lamports: nativeMap(text, big), tokens: nativeMap(text, big) });

/** Of the bank's own delayed transactions only the expected changes are stored. */
const own: Codec<SubmitPolicy> = via(nullable(changes), {
  encode: (transaction) => transaction.changes,
  decode: (expected) => ({ changes: expected }),
});

const injected = union<InjectedTransaction>({
  lost: { deadSlot: number },
  delayed: { atMs: number, bytes, own: nullable(own), deadSlot: number, cause },
  held: { untilMs: number },
});

/** The chain, its faucet, and the transactions with an injected fault. */
export const embeddedChain = fields<EmbeddedChainSnapshot>({
  chain,
  faucet: always(counter),
  transactionFaults: whenChanged(orderedMap(text, injected)),
});
