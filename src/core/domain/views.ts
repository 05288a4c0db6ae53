import { Amount, type Token, amountOf } from './money.js';

/** A balance before and after an operation. */
export interface BalanceChange {
  readonly token: Token;
  readonly previous: Amount;
  readonly current: Amount;
}

/** A balance change from base units. */
export function balanceChange(token: Token, previousBase: bigint, currentBase: bigint): BalanceChange {
  return { token, previous: amountOf(token, previousBase), current: amountOf(token, currentBase) };
}

/** A rate in ppm as a decimal fraction: 17,000 ppm is 0.017. */
export function decimalRate(ppm: bigint): Amount {
  return new Amount(ppm, 6);
}

/** A rate in ppm as percent text in the published form: 17,000 ppm is "1.7%". */
export function percentText(ppm: bigint): string {
  return `${new Amount(ppm, 4).toString()}%`;
}
