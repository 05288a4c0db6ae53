import type { AuthSnapshot } from '../../bank/auth.js';
import type { BankSnapshot } from '../../bank/bank.js';
import { type TtlMap, setWithTtl } from '../../core/ttl-map.js';
import { storeResult, storedResults } from '../../bank/stored-results.js';
import type {
  BankChanges,
  Purpose,
  Stored,
  StoredCall,
  UnconfirmedTransfer,
  UsedChallenge,
} from '../../bank/in-flight-work.js';
import { TOKENS } from '../../core/domain/money.js';
import type { PlainPolicy, ReviewPolicy, ScriptStep } from '../../world/reviewer.js';
import { anyValue } from './any-value.js';
import { books } from './books.js';
import {
  type Codec,
  array,
  big,
  constant,
  counter,
  flag,
  list,
  map,
  nullable,
  number,
  oneOf,
  orderedMap,
  struct,
  text,
  union,
  via,
} from './codec.js';
import { type Field, always, fields, whenChanged } from './field.js';
import { cause } from './embedded-chain.js';

function expiring<V>(value: Codec<V>): Codec<TtlMap<V>> {
  return struct<TtlMap<V>>({
    values: map(
      text,
      struct<{ readonly value: V; readonly expiresMs: number }>({ value, expiresMs: number }),
    ),
    order: list(text),
  });
}

const token = oneOf(...TOKENS);

export const lateTransfer = struct<UnconfirmedTransfer>({
  purpose: union<Purpose>({
    outflow: { outflow: number },
    account: { owner: text },
    savings: { token, amountBase: big },
    sweep: { wallet: text, token, amountBase: big },
  }),
  movedLamports: big,
  cause,
});

const PLAIN = { manual: {}, auto: {}, delay: { delayMs: number } } as const;

const policy = union<ReviewPolicy>({
  ...PLAIN,
  script: {
    steps: array(union<ScriptStep>({ ...PLAIN, verdict: { approve: flag, reason: nullable(text) } })),
    taken: number,
    after: union<PlainPolicy>(PLAIN),
  },
});

export const stored = struct<Stored>({
  hash: text,
  answer: nullable(anyValue()),
  underWay: nullable(number),
});

/** Used challenges; the bank reports each new one. */
const used: Field<AuthSnapshot['used'], Pick<BankChanges, 'used'>> = {
  ...expiring(constant(true)),
  changes: { used: array(struct<UsedChallenge>({ key: text, expiresMs: number, nowMs: number })) },
  hasChanged: (before, now) => before !== now,
  diff: () => undefined,
  apply: (value, changes) =>
    changes.used.reduce(
      (all, { key, expiresMs, nowMs }) => setWithTtl(all, key, { value: true, expiresMs }, nowMs),
      value,
    ),
};

/** Stored calls; the bank reports each new one. */
const idempotency: Field<TtlMap<Stored>, Pick<BankChanges, 'kept'>> = {
  ...via<TtlMap<Stored>, TtlMap<Stored>>(expiring(stored), {
    encode: (results) => results,
    decode: storedResults,
  }),
  changes: { kept: array(struct<StoredCall>({ key: text, stored, expiresMs: number, nowMs: number })) },
  hasChanged: (before, now) => before !== now,
  diff: () => undefined,
  apply: (value, { kept }) =>
    kept.reduce(
      (all, { key, stored: call, expiresMs, nowMs }) =>
        storeResult(all, key, { value: call, expiresMs }, nowMs),
      value,
    ),
};

/** The bank: books, used challenges, idempotency keys, unconfirmed transfers, review policy. No secrets. */
export const bank = fields<BankSnapshot>({
  books,
  auth: fields<AuthSnapshot>({ issued: always(counter), used }),
  idempotency,
  late: whenChanged(orderedMap(text, lateTransfer)),
  policy: whenChanged(policy),
  transfersSent: always(counter),
  tokensIssued: always(counter),
  requestsIssued: always(counter),
});
