import type { AskTrouble, BankTrouble, ShowTrouble } from './types.js';

/** Where faults are injected: at the start of the run, before or during a bank call, or in a service request with or without a receipt. */
export type Place = 'start' | 'before-bank' | 'bank' | 'pay' | 'ask' | 'show';

export type Trouble =
  | { readonly to: 'bank'; readonly does: BankTrouble }
  | { readonly to: 'ask'; readonly does: AskTrouble }
  | { readonly to: 'show'; readonly does: ShowTrouble }
  | {
      readonly to: 'world';
      readonly does: { readonly what: 'jump' | 'price' | 'limit'; readonly size: number };
    };

export interface MishapKind {
  readonly places: readonly [Place, ...Place[]];
  /** Relative frequency of being drawn. */
  readonly weight: number;
  /** Whether an agent that waits and retries still succeeds. */
  readonly isPassing: boolean;
  /** Possible sizes, the least harmful first. A kind without sizes has the size 0. */
  readonly sizes: readonly [number, ...number[]];
  readonly trouble: (size: number) => Trouble;
  readonly says: (size: number) => string;
}

const SECOND_MS = 1_000;
/** 150 slots of 400 ms. */
const BLOCKHASH_MS = 60 * SECOND_MS;

type BySize<T> = T | ((size: number) => T);

function bySize<T extends object | string>(given: BySize<T>): (size: number) => T {
  return (typeof given === 'function' ? given : () => given) as (size: number) => T;
}

const kindsOf =
  <To extends Trouble['to']>(to: To, usual: Pick<MishapKind, 'places' | 'weight' | 'isPassing'>) =>
  (
    says: BySize<string>,
    does: BySize<Extract<Trouble, { to: To }>['does']>,
    more: Partial<MishapKind> = {},
  ): MishapKind => ({
    ...usual,
    sizes: [0],
    says: bySize(says),
    trouble: (size) => ({ to, does: bySize(does)(size) }) as Trouble,
    ...more,
  });

const bank = kindsOf('bank', { places: ['pay', 'bank'], weight: 3, isPassing: true });
const ask = kindsOf('ask', { places: ['ask'], weight: 2, isPassing: false });
const show = kindsOf('show', { places: ['show'], weight: 2, isPassing: false });
const world = kindsOf('world', { places: ['before-bank'], weight: 1, isPassing: false });

const onlyPay = { places: ['pay'] } as const;
const passing = { isPassing: true } as const;
const HOUR_MS = 3_600_000;

/** All faults for agents, by name. */
export const MISHAPS = {
  'response-lost': bank(
    'the response is lost, but the request was carried out',
    { effect: 'lose-response' },
    { weight: 6 },
  ),
  'connection-dropped': bank('the connection ends, and the request was not carried out', {
    effect: 'drop-connection',
  }),
  'too-many-requests': bank(
    (seconds) => `429, Retry-After ${seconds} s`,
    (retryAfter) => ({ effect: 'replace-response', status: 429, phase: 'before', retryAfter }),
    { sizes: [1, 30] },
  ),
  'bank-error': bank('500, and the request was not carried out', {
    effect: 'replace-response',
    status: 500,
    phase: 'before',
  }),
  'bank-error-after': bank('500, although the request was carried out', {
    effect: 'replace-response',
    status: 500,
    phase: 'after-commit',
  }),
  'bank-slow': bank(
    (ms) => `the bank takes ${ms / SECOND_MS} s to respond`,
    (ms) => ({ effect: 'delay', delay: `${ms}ms` }),
    { sizes: [SECOND_MS, 60 * SECOND_MS], weight: 1 },
  ),
  'chain-unreachable': bank(
    'the bank cannot reach the chain, and nothing was paid',
    { effect: 'chain-unavailable', phase: 'chain-submit' },
    onlyPay,
  ),
  'transaction-dropped': bank(
    'the transaction is lost: the call is pending until the blockhash expires, then the amount returns to checking',
    { effect: 'drop-transaction' },
    onlyPay,
  ),
  'transaction-delayed': bank(
    (ms) =>
      ms > BLOCKHASH_MS
        ? `the transaction is ${ms / SECOND_MS} s late: its blockhash has expired, so it fails and the amount returns to checking`
        : `the transaction arrives ${ms / SECOND_MS} s later: the call is pending until then`,
    (ms) => ({ effect: 'delay-transaction', phase: 'chain-submit', delay: `${ms}ms` }),
    { ...onlyPay, sizes: [5 * SECOND_MS, 30 * SECOND_MS, 90 * SECOND_MS], weight: 4 },
  ),
  'oracle-outage': bank(
    'the oracle is unavailable, and nothing was paid',
    { effect: 'oracle-outage' },
    onlyPay,
  ),
  'time-jump': world(
    (ms) => `${ms / HOUR_MS} hours pass: the token has expired`,
    (size) => ({ what: 'jump', size }),
    { sizes: [25 * HOUR_MS] },
  ),
  'price-moved': world(
    (usd) => `one USDC is now worth ${usd} USD, and the daily limit is in USD`,
    (size) => ({ what: 'price', size }),
    { sizes: [1.1, 0.9, 500] },
  ),
  'limit-nearly-used': world(
    (usd) => `${usd} USD of the daily limit remain`,
    (size) => ({ what: 'limit', size }),
    { places: ['start'], sizes: [3, 1, 0.01] },
  ),
  'service-error': ask('the service returns 500', { kind: 'fail' }, passing),
  'service-silent': ask('the service does not respond', { kind: 'no-response' }, passing),
  'service-slow': ask(
    (ms) => `the service takes ${ms / SECOND_MS} s to respond`,
    (ms) => ({ kind: 'slow', ms }),
    { ...passing, sizes: [SECOND_MS, 120 * SECOND_MS], weight: 1 },
  ),
  'price-too-high': ask(
    (factor) => `the service asks for ${factor} times its price`,
    (factor) => ({ kind: 'dear', factor }),
    { sizes: [1.5, 3, 100], weight: 3 },
  ),
  'other-token': ask('the service asks for SOL', { kind: 'other-token' }),
  'other-network': ask(
    'the service asks for a payment on another network',
    { kind: 'other-network' },
    { weight: 1 },
  ),
  'wrong-recipient': ask(
    'the service asks for a payment to another recipient',
    { kind: 'wrong-recipient' },
    { weight: 3 },
  ),
  'request-expired': ask('the payment request expires immediately', { kind: 'expired' }, passing),
  'request-malformed': ask('X-Payment-Request is not a payment request', { kind: 'malformed' }),
  redirected: ask('the service redirects to another service', { kind: 'redirect' }),
  'receipt-rejected': show(
    'the service rejects a valid receipt',
    { kind: 'reject-receipt' },
    { ...passing, weight: 3 },
  ),
  'asked-again': show('the service asks for a second payment', { kind: 'ask-again' }, { weight: 3 }),
  'price-raised': show('the service has doubled its price and asks for another payment', {
    kind: 'raise-price',
  }),
  'undelivered-error': show(
    'the service returns 500 and delivers nothing',
    { kind: 'fail-undelivered' },
    passing,
  ),
  'delivered-error': show('the service returns 500 and counts the order as delivered', {
    kind: 'fail-delivered',
  }),
  'receipt-unseen': show(
    'the connection ends before the service receives the receipt',
    { kind: 'no-response' },
    passing,
  ),
  'delivery-lost': show('the service delivers, but the response is lost', { kind: 'lose-delivery' }),
  'delivery-slow': show(
    (ms) => `the service takes ${ms / SECOND_MS} s to deliver`,
    (ms) => ({ kind: 'slow', ms }),
    { ...passing, sizes: [SECOND_MS, 120 * SECOND_MS], weight: 1 },
  ),
} as const satisfies Record<string, MishapKind>;

export type MishapName = keyof typeof MISHAPS;

export const MISHAP_NAMES = Object.keys(MISHAPS) as readonly MishapName[];

export function mishapKind(name: MishapName): MishapKind {
  return MISHAPS[name];
}
