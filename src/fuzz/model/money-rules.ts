import { amountBase, isToken, units } from './amounts.js';
import { SOME_TEXT } from './checks.js';
import type { Tree } from './compare.js';
import type { ModelToken } from './ports.js';
import { type Refused, refused } from './verdict.js';

/** Refusals and members that several operations have. Source: docs/fidelity.md, Errors. */

export function unsupportedToken(token: string): Refused {
  return refused('unsupported_token', { token, supported: ['USDC', 'SOL'] });
}

export function invalidAmount(token: ModelToken): Refused {
  return refused('invalid_amount', { reason: SOME_TEXT, token });
}

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

export function balanceChange(token: ModelToken, previousBase: bigint, currentBase: bigint): Tree {
  return { token, previous: units(token, previousBase), current: units(token, currentBase) };
}

/** The token and amount that a body names, token first; or why they cannot be. */
export function namedSum(
  token: unknown,
  amount: unknown,
): { readonly token: ModelToken; readonly base: bigint } | Refused {
  if (!isToken(token)) return unsupportedToken(String(token));
  const base = amountBase(amount, token);
  return base === null ? invalidAmount(token) : { token, base };
}

export function isRefused(value: object | string): value is Refused {
  return typeof value === 'object' && 'code' in value;
}
