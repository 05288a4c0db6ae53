import { amountBase, isToken, units } from './amounts.js';
import { SOME_TEXT } from './checks.js';
import type { Tree } from './compare.js';
import type { ModelToken } from './types.js';
import { type Refused, refused } from './verdict.js';

/** Refusal of a token other than USDC and SOL. */
export function unsupportedToken(token: string): Refused {
  return refused('unsupported_token', { token, supported: ['USDC', 'SOL'] });
}

/** Refusal of an invalid amount. Source: docs/reference/fidelity.md, Amounts. */
export function invalidAmount(token: ModelToken): Refused {
  return refused('invalid_amount', { reason: SOME_TEXT, token });
}

/** Refusal when checking does not cover an amount: available and requested base units. */
export function insufficientBalance(
  token: ModelToken,
  availableBase: bigint,
  requestedBase: bigint,
): Refused {
  return refused('insufficient_balance', {
    token,
    available: units(token, availableBase),
    requested: units(token, requestedBase),
  });
}

/** A balance before and after, in base units, as in responses. */
export function balanceChange(token: ModelToken, previousBase: bigint, currentBase: bigint): Tree {
  return { token, previous: units(token, previousBase), current: units(token, currentBase) };
}

/** Validates a body's token, then its amount; returns the first refusal. */
export function namedSum({
  token,
  amount,
}: Readonly<Record<string, unknown>>): { readonly token: ModelToken; readonly base: bigint } | Refused {
  if (!isToken(token)) return unsupportedToken(String(token));
  const base = amountBase(amount, token);
  return base === null ? invalidAmount(token) : { token, base };
}
