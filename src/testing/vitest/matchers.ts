import { expect } from 'vitest';
import { BankError } from '../../sdk/client/client.js';
import { ERRORS, type ErrorCode } from '../../core/domain/errors.js';
import { suggestion } from '../../core/suggestion.js';
import { mismatches } from '../scenario/expecting/match.js';
import type { Mismatch } from '../scenario/results.js';
import { Simulator } from '../../simulator/simulator.js';
import { tokenUnits } from '../../core/domain/money.js';

/** Expected on-chain balances of an address, in token units; each a number, or a matcher such as `{ atLeast: 5 }`. */
export interface ExpectedBalances {
  readonly usdc?: unknown;
  readonly sol?: unknown;
}

interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
}

function matched(found: readonly Mismatch[], whole: string): Matched {
  const lines = found.map(
    ({ path, expected, actual }) => `  ${path === '' ? 'it' : path}: expected ${expected}, got ${actual}`,
  );
  return {
    pass: found.length === 0,
    message: () =>
      found.length === 0
        ? `expected ${whole} not to match`
        : `${whole} is not as expected\n${lines.join('\n')}`,
  };
}

async function errorOf(call: unknown): Promise<unknown> {
  try {
    await (typeof call === 'function' ? (call as () => unknown)() : call);
    return null;
  } catch (error) {
    return error;
  }
}

async function refusal(received: unknown, code: string, details?: unknown): Promise<Matched> {
  const error = await errorOf(received);
  // A misspelt code never occurs, so `not` would always pass. Faults may have codes of their own.
  const hint = Object.hasOwn(ERRORS, code) ? '' : suggestion(code, Object.keys(ERRORS));
  if (hint !== '') throw new TypeError(`toBeRefusedWith: there is no code ${code}${hint}`);
  if (error === null) {
    return {
      pass: false,
      message: () => `expected the call to be refused with ${code}, but it succeeded`,
    };
  }
  if (!(error instanceof BankError)) throw error;
  const expected = details === undefined ? { code } : { code, details };
  return matched(
    mismatches({ code: error.code, details: error.details }, expected),
    `the refusal "${error.message}"`,
  );
}

async function onChain(received: unknown, address: string, expected: ExpectedBalances): Promise<Matched> {
  if (!(received instanceof Simulator)) throw new TypeError('toHoldOnChain needs a simulator: expect(sim)');
  const { lamports, usdcBase } = await received.chain.balances(address);
  const held = { usdc: tokenUnits('USDC', usdcBase), sol: tokenUnits('SOL', lamports) };
  return matched(mismatches(held, expected), `what ${address} holds on chain`);
}

async function sound(received: unknown): Promise<Matched> {
  if (!(received instanceof Simulator)) throw new TypeError('toBeSound needs a simulator: expect(sim)');
  const broken = await received.invariants();
  return matched(
    broken.map(({ rule, text }) => ({ path: rule, expected: 'to hold', actual: text })),
    'the bank',
  );
}

/** Adds the matchers below to vitest's `expect`. */
export function addMatchers(): void {
  expect.extend({ toBeRefusedWith: refusal, toHoldOnChain: onChain, toBeSound: sound });
}

/** Matchers that this package adds to vitest's `expect`. */
export interface BankMatchers<R = unknown> {
  /** Expects a call of the bank, as a promise or a function, to be refused with this code and, if given, these details. */
  toBeRefusedWith(code: ErrorCode | (string & {}), details?: object): Promise<R>;
  /** On `expect(sim)`: expects these balances of an address on chain. */
  toHoldOnChain(address: string, expected: ExpectedBalances): Promise<R>;
  /** On `expect(sim)`: expects all invariants of books, chain and limits to hold. */
  toBeSound(): Promise<R>;
}

declare module 'vitest' {
  // The type parameter is required by vitest's declaration.
  interface Matchers<T> extends BankMatchers<T> {}
}
