import type { ControlWorld } from './world.js';

/** One check of a payment. Its result is open when there is nothing to compare with. */
export interface PaymentCheck {
  readonly name: string;
  readonly expected: unknown;
  readonly got: unknown;
  readonly verdict: 'passed' | 'failed' | 'open';
}

export type PaymentWorld = Pick<ControlWorld, 'bank' | 'config' | 'chain' | 'now'>;

/** A check that passes when two values are equal. */
export function equal(name: string, expected: unknown, got: unknown): PaymentCheck {
  return { name, expected, got, verdict: expected === got ? 'passed' : 'failed' };
}

export function holds(
  name: string,
  isTrue: boolean,
  { expected, got }: { expected: unknown; got: unknown },
): PaymentCheck {
  return { name, expected, got, verdict: isTrue ? 'passed' : 'failed' };
}

/** A value without anything to compare it with. */
export function open(name: string, got: unknown): PaymentCheck {
  return { name, expected: null, got, verdict: 'open' };
}
