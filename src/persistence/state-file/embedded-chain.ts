import type { ChainSnapshot } from '../../chain/chain.js';
import { type ChainRecord, append } from '../../chain/history.js';
import type { InjectedTransaction } from '../../chain/transaction-faults.js';
import {
  type RequestContext,
  type ConfirmFault,
  type SubmitFault,
  type InjectedFaults,
  NO_REQUEST,
} from '../../core/domain/request-context.js';
import type { EmbeddedChainSnapshot } from '../../runtime/embedded-chain.js';
import { account, address, history, records } from './chain-log.js';
import * as c from './codec.js';
import { type Field, after, always, fields, whenChanged } from './field.js';

const note = c.nullable(c.text);

/** The faults of a call that has ended: they fire no more. */
const injectedFaults: c.Codec<InjectedFaults> = c.derived(
  c.struct<Omit<InjectedFaults, 'onFired'>>({
    submit: c.nullable(
      c.union<SubmitFault>({ drop: {}, delay: { ms: c.number }, expire: {}, unavailable: {} }),
    ),
    confirm: c.nullable(c.union<ConfirmFault>({ delay: { ms: c.number }, unavailable: {} })),
    oracleIsOut: c.flag,
  }),
  (faults) => ({ ...faults, onFired: () => undefined }),
);

/** A request context. The empty one is a singleton, compared by identity. */
export const cause: c.Codec<RequestContext> = c.derived(
  c.struct<RequestContext>({
    requestId: note,
    trouble: c.nullable(injectedFaults),
  }),
  (value) => (value.requestId === null && value.trouble === null ? NO_REQUEST : value),
);

/** A forged number must not make the search for a blockhash endless. */
const revertCount = c.checked(c.counter, (count) => count <= 1e9);

type ChainChanges = Record<'extraSlots' | 'reverts', number> & { records: readonly ChainRecord[] };

/** Accounts change by records only. */
const chain: Field<ChainSnapshot, ChainChanges> = {
  ...c.struct<ChainSnapshot>({
    history,
    accounts: c.map(address, c.nullable(account)),
    extraSlots: c.number,
    reverts: revertCount,
  }),
  changes: { records, extraSlots: c.number, reverts: revertCount },
  hasChanged: (before, now) =>
    before.history.log !== now.history.log ||
    before.extraSlots !== now.extraSlots ||
    before.reverts !== now.reverts,
  diff: (before, { history: { log }, extraSlots, reverts }, changes) => {
    changes.records = after(log, before.history.log.size);
    changes.extraSlots = extraSlots;
    changes.reverts = reverts;
  },
  apply: (value, { records: added, extraSlots, reverts }) => ({
    history: added.reduce(append, value.history),
    accounts: value.accounts.withMutations((all) => {
      for (const { touched } of added) for (const { address: at, post } of touched) all.set(at, post);
    }),
    extraSlots,
    reverts,
  }),
};

const injected = c.union<InjectedTransaction>({
  lost: { deadSlot: c.number },
  delayed: { atMs: c.number, bytes: c.bytes, own: c.flag, deadSlot: c.number, cause },
  held: { untilMs: c.number },
});

/** The chain, its faucet, and the transactions with an injected fault. */
export const embeddedChain = fields<EmbeddedChainSnapshot>({
  chain,
  faucet: always(c.counter),
  transactionFaults: whenChanged(c.orderedMap(c.text, injected)),
});
