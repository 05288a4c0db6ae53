import { priceE8, ratePpm } from './amounts.js';
import type { Books } from './books.js';
import { durationMs } from './duration.js';
import type { Outcome } from './expected-control.js';
import type { Kind } from './line.js';
import type { ModelToken } from './types.js';

type Members = Readonly<Record<string, unknown>>;

/** Rates and prices as the operator sees them. */
export function rates(books: Books): Outcome {
  return () => books.oracle.shown(books.nowMs);
}

/** When a change takes effect; null for an instant that has passed. */
function beginningMs({ nowMs }: Books, { in: delay, from }: Members): number | null {
  if (typeof from !== 'string') return nowMs + (typeof delay === 'string' ? durationMs(delay) : 0);
  const fromMs = Date.parse(from);
  return fromMs < nowMs ? null : fromMs;
}

/** A percentage as text, in millionths. */
function percentPpm(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('%', '').trim().split('.');
  return BigInt(`${whole}${fraction.padEnd(4, '0')}`);
}

export function setSource(books: Books, kind: Kind, body: Members): Outcome {
  const source = body['source'] as number | string;
  const fromMs = beginningMs(books, body);
  if (fromMs === null) return 'invalid_request';
  const value =
    typeof source === 'string' ? percentPpm(source) : kind === 'apy' ? ratePpm(source) : priceE8(source);
  const of = { kind, token: body['token'] as ModelToken };
  books.oracle.follow(of, value, { fromMs, nowMs: books.nowMs });
  return rates(books);
}
