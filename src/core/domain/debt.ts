import { YEAR_SECONDS, secondsOf } from './calendar.js';
import { PPM } from './rates.js';

/**
 * A debt with simple interest, actual/365 by the second. `interestUnits` is exact (base units × ppm × seconds), so that rounding
 * happens only when the amount owed is read.
 */
export interface Debt {
  readonly principalBase: bigint;
  readonly interestUnits: bigint;
  readonly aprPpm: bigint;
  readonly sinceSeconds: bigint;
}

const INTEREST_SCALE = PPM * YEAR_SECONDS;

/** A debt opened at `atMs` with nothing owed. */
export function openDebt(aprPpm: bigint, atMs: number): Debt {
  return { principalBase: 0n, interestUnits: 0n, aprPpm, sinceSeconds: secondsOf(atMs) };
}

/** The debt with interest accrued up to `atMs`. An earlier `atMs` accrues nothing. */
export function accrue(debt: Debt, atMs: number): Debt {
  const now = secondsOf(atMs);
  const seconds = now - debt.sinceSeconds;
  if (seconds <= 0n) return debt;
  return {
    ...debt,
    interestUnits: debt.interestUnits + debt.principalBase * debt.aprPpm * seconds,
    sinceSeconds: now,
  };
}

/** Interest owed at `atMs` in base units, rounded up: a debt is never understated. */
export function interestOwed(debt: Debt, atMs: number): bigint {
  return (accrue(debt, atMs).interestUnits + INTEREST_SCALE - 1n) / INTEREST_SCALE;
}

/** Principal and interest owed at `atMs`, in base units. */
export function owed(debt: Debt, atMs: number): bigint {
  return debt.principalBase + interestOwed(debt, atMs);
}

/** The debt after `amountBase` more is lent at `atMs`. */
export function lend(debt: Debt, amountBase: bigint, atMs: number): Debt {
  const accrued = accrue(debt, atMs);
  return { ...accrued, principalBase: accrued.principalBase + amountBase };
}

/** What a payment pays of a debt, in base units. */
interface PaymentParts {
  readonly principalBase: bigint;
  readonly interestBase: bigint;
}

/** Splits a payment: interest first, then principal; never more than the debt. */
export function splitPayment(debt: Debt, amountBase: bigint, atMs: number): PaymentParts {
  const due = interestOwed(debt, atMs);
  const interestBase = amountBase < due ? amountBase : due;
  const rest = amountBase - interestBase;
  return { principalBase: rest < debt.principalBase ? rest : debt.principalBase, interestBase };
}

/** The debt after a payment that `splitPayment` split at the same instant. */
export function settle(debt: Debt, { principalBase, interestBase }: PaymentParts, atMs: number): Debt {
  const accrued = accrue(debt, atMs);
  const left = accrued.interestUnits - interestBase * INTEREST_SCALE;
  return {
    ...accrued,
    principalBase: accrued.principalBase - principalBase,
    interestUnits: left > 0n ? left : 0n,
  };
}
