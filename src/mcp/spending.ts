import type { MaxAmount } from '../sdk/x402/paying/offer.js';
import { type Token, tokenUnits } from '../core/domain/money.js';
import { type Money, allowedBase, moneyText } from './amounts.js';
import { ToolRefusal } from './tool-refusal.js';

/** The bank drops an Idempotency-Key after 24 hours; a repetition after this long counts as another payment. */
const KEY_LIFETIME_MS = 23 * 3_600_000;

/** Remembered payments; a repetition of an older one counts twice, which errs on the safe side. */
const MAX_REMEMBERED = 100_000;

/** How to identify a payment, and how to tell that it failed. */
export interface Outcome<T> {
  /** The id of the payment in a response: two responses with equal ids are about one payment. */
  readonly nameOf: (answer: T) => string | null;
  /** Whether an error says that nothing was paid. */
  readonly isUnpaid: (error: unknown, isRepeated: boolean) => boolean | Promise<boolean>;
}

export interface CountedPayment extends Money {
  /** Equal for repetitions to which the bank returns the first call's response; null when the call cannot be repeated. */
  readonly key: string | null;
}

/**
 * Counts what a wallet spends. An amount is counted before its payment is made, so that parallel payments never exceed a limit, and
 * released when the payment certainly did not happen. A payment whose response was lost stays counted, once, however often it is repeated.
 */
export class Spending {
  readonly #countedBase: Record<Token, bigint> = { USDC: 0n, SOL: 0n };
  /** The times of payments with keys that were made, or may have been made. */
  readonly #sinceMs = new Map<string, number>();
  readonly #names = new Map<string, true>();
  readonly #nowMs: () => Promise<number>;

  constructor(nowMs: () => Promise<number>) {
    this.#nowMs = nowMs;
  }

  /** The amounts spent, in token units. */
  spent(): Record<Token, number> {
    const { USDC, SOL } = this.#countedBase;
    return { USDC: tokenUnits('USDC', USDC), SOL: tokenUnits('SOL', SOL) };
  }

  /** Throws ToolRefusal `spending_limit_exceeded` for a payment that could not be made now. Counts nothing. */
  async check(payment: CountedPayment, limit: MaxAmount | null): Promise<void> {
    if (!(await this.#isCounted(payment.key))) this.#countedWith(payment, limit);
  }

  /** Makes a payment within a limit. Throws ToolRefusal `spending_limit_exceeded`, and what `work` throws. */
  async pay<T>(
    payment: CountedPayment,
    limit: MaxAmount | null,
    work: () => Promise<T>,
    outcome: Outcome<T>,
  ): Promise<T> {
    const { token, amountBase, key } = payment;
    const isRepeated = await this.#isCounted(key);
    if (!isRepeated) this.#countedBase[token] = this.#countedWith(payment, limit);
    const giveBack = () => {
      this.#countedBase[token] -= amountBase;
    };
    try {
      const answer = await work();
      if (isRepeated) return answer;
      const name = outcome.nameOf(answer);
      if (name !== null && !remember(this.#names, name, true)) giveBack();
      await this.#keep(key);
      return answer;
    } catch (error) {
      const isUnpaid = await outcome.isUnpaid(error, isRepeated);
      if (isRepeated) {
        // Of several repetitions one gives back.
        if (isUnpaid && key !== null && this.#sinceMs.delete(key)) giveBack();
      } else if (isUnpaid) giveBack();
      else await this.#keep(key);
      throw error;
    }
  }

  /** What is counted together with a payment. Throws ToolRefusal `spending_limit_exceeded`. */
  #countedWith(payment: Money, limit: MaxAmount | null): bigint {
    const { token, amountBase } = payment;
    const countedBase = this.#countedBase[token] + amountBase;
    if (limit !== null && countedBase > allowedBase(limit, token))
      throw new ToolRefusal(
        'spending_limit_exceeded',
        `${moneyText(payment)} would exceed this wallet's spending limit. Nothing was paid.`,
        {
          token,
          limit: limit[token] ?? 0,
          spent: this.spent()[token],
          requested: tokenUnits(token, amountBase),
        },
      );
    return countedBase;
  }

  /** Whether a payment with this key is counted already: the bank repeats its first response. */
  async #isCounted(key: string | null): Promise<boolean> {
    const sinceMs = key === null ? undefined : this.#sinceMs.get(key);
    if (key === null || sinceMs === undefined) return false;
    if ((await this.#nowMs()) - sinceMs < KEY_LIFETIME_MS) return true;
    this.#sinceMs.delete(key);
    return false;
  }

  async #keep(key: string | null): Promise<void> {
    if (key === null) return;
    // A time that is not known counts as long ago.
    const nowMs = await this.#nowMs().catch(() => Number.NEGATIVE_INFINITY);
    remember(this.#sinceMs, key, nowMs);
  }
}

/** Adds to a map of bounded size; false when the key is present. */
export function remember<T>(map: Map<string, T>, key: string, value: T): boolean {
  if (map.has(key)) return false;
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
  return true;
}
