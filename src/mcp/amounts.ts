import { TOKENS, type Base, type Token, amountOf, parseAmount } from '../core/domain/money.js';
import { messageOf } from '../core/domain/errors.js';
import { parseToken } from '../core/domain/inputs.js';
import type { MaxAmount } from '../sdk/x402/paying/offer.js';
import { ToolRefusal } from './tool-refusal.js';

export interface Money {
  readonly token: Token;
  readonly amountBase: Base;
}

/** Parses an amount as the bank does. Throws ToolRefusal with the bank's code. */
export function moneyOf(amount: unknown, token: unknown): Money {
  const name = parseToken(typeof token === 'string' ? token : '');
  if (!name.ok) throw new ToolRefusal(name.refusal.code, messageOf(name.refusal));
  const parsed = parseAmount(amount, name.value);
  if (!parsed.ok) throw new ToolRefusal(parsed.refusal.code, messageOf(parsed.refusal));
  return { token: name.value, amountBase: parsed.value };
}

/** An amount as text: `1.5 USDC`. */
export function moneyText({ token, amountBase }: Money): string {
  return `${amountOf(token, amountBase).toString()} ${token}`;
}

/** The base units of a token that a limit allows; 0 for a token that it does not name. */
export function allowedBase(limit: MaxAmount, token: Token): bigint {
  const units = limit[token] ?? 0;
  const parsed = parseAmount(units, token);
  return parsed.ok ? parsed.value : 0n;
}

/** Parses a limit: `1USDC`, or `1USDC,0.1SOL`. Throws RangeError. */
export function limitOf(text: string): MaxAmount {
  const limit: Partial<Record<Token, number>> = {};
  for (const part of text.split(',')) {
    const [, digits = '', name = ''] = /^\s*(\d{1,12}(?:\.\d{1,9})?)\s*([A-Za-z]+)\s*$/.exec(part) ?? [];
    const token = TOKENS.find((known) => known === name.toUpperCase());
    const amount = Number(digits);
    if (digits === '' || token === undefined || (amount !== 0 && !parseAmount(amount, token).ok))
      throw new RangeError(`${text}: expected amounts such as 1USDC, or 1USDC,0.1SOL`);
    if (limit[token] !== undefined) throw new RangeError(`${text}: names ${token} twice`);
    limit[token] = amount;
  }
  return limit;
}
