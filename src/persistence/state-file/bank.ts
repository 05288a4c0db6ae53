import type { AuthSnapshot } from '../../bank/auth.js';
import type { BankSnapshot } from '../../bank/bank.js';
import type { TtlMap } from '../../bank/ttl-map.js';
import { type KeptCalls, keptCalls } from '../../bank/kept-calls.js';
import type { UnconfirmedTransfer, Purpose, Stored } from '../../bank/in-flight-work.js';
import { TOKENS } from '../../core/domain/money.js';
import type { PlainPolicy, ReviewPolicy, ScriptStep } from '../../world/reviewer.js';
import { anything } from './anything.js';
import { books } from './books.js';
import {
  type Codec,
  array,
  big,
  constant,
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
import { cause } from './ground.js';

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

/** A transfer whose outcome is not confirmed. */
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

/** The review policy. */
export const policy = union<ReviewPolicy>({
  ...PLAIN,
  script: {
    steps: array(union<ScriptStep>({ ...PLAIN, verdict: { approve: flag, reason: nullable(text) } })),
    taken: number,
    after: union<PlainPolicy>(PLAIN),
  },
});

/** Unconfirmed transfers, in order. */
export const late = orderedMap(text, lateTransfer);

/** A call stored under its idempotency key. */
export const stored = struct<Stored>({
  hash: text,
  answer: nullable(anything()),
  underWay: nullable(number),
});

/** The bank: books, used challenges, idempotency keys, unconfirmed transfers, review policy. No secrets. */
export const bank: Codec<BankSnapshot> = struct<BankSnapshot>({
  books,
  auth: struct<AuthSnapshot>({ issued: number, used: expiring(constant(true)) }),
  idempotency: via<KeptCalls, TtlMap<Stored>>(expiring(stored), {
    encode: ({ calls }) => calls,
    decode: keptCalls,
  }),
  late,
  policy,
  transfersSent: number,
  tokensIssued: number,
  requestsIssued: number,
});
