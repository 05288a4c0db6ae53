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
import type { ReviewPolicy } from '../../world/reviewer.js';
import { anyValue } from './any-value.js';
import { books } from './books.js';
import * as c from './codec.js';
import { type Field, always, fields, whenChanged } from './field.js';
import { cause } from './embedded-chain.js';

function expiring<V>(value: c.Codec<V>): c.Codec<TtlMap<V>> {
  return c.struct<TtlMap<V>>({
    values: c.map(
      c.text,
      c.struct<{ readonly value: V; readonly expiresMs: number }>({ value, expiresMs: c.number }),
    ),
    order: c.list(c.text),
  });
}

const token = c.oneOf(...TOKENS);

export const lateTransfer = c.struct<UnconfirmedTransfer>({
  purpose: c.union<Purpose>({
    outflow: { outflow: c.number },
    account: { owner: c.text },
    savings: { token, amountBase: c.big },
    sweep: { wallet: c.text, token, amountBase: c.big },
  }),
  movedLamports: c.big,
  cause,
});

const policy = c.union<ReviewPolicy>({ manual: {}, auto: {}, delay: { delayMs: c.number } });

export const stored = c.struct<Stored>({
  hash: c.text,
  answer: c.nullable(anyValue()),
  underWay: c.nullable(c.number),
});

/** Used challenges; the bank reports each new one. */
const used: Field<AuthSnapshot['used'], Pick<BankChanges, 'used'>> = {
  ...expiring(c.constant(true)),
  changes: { used: c.array(c.struct<UsedChallenge>({ key: c.text, expiresMs: c.number, nowMs: c.number })) },
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
  ...c.derived(expiring(stored), storedResults),
  changes: {
    kept: c.array(c.struct<StoredCall>({ key: c.text, stored, expiresMs: c.number, nowMs: c.number })),
  },
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
  auth: fields<AuthSnapshot>({ issued: always(c.counter), used }),
  idempotency,
  late: whenChanged(c.orderedMap(c.text, lateTransfer)),
  policy: whenChanged(policy),
  transfersSent: always(c.counter),
  tokensIssued: always(c.counter),
  requestsIssued: always(c.counter),
});
