import { YEAR_SECONDS } from './growth.js';

/** The value of one base unit of interest in `interestParts`: a millionth of a rate over one second of a year. */
const PARTS = 1_000_000n * YEAR_SECONDS;

/**
 * A debt with simple interest, actual/365 by the second. Internal values are not rounded. Source: docs/reference/fidelity.md, Collateral
 * credit.
 */
export interface Debt {
  readonly principalBase: bigint;
  /** Unpaid interest up to `atSecond`. */
  readonly interestParts: bigint;
  /** Seconds since the epoch. */
  readonly atSecond: number;
  readonly aprPpm: bigint;
}

/** The second since the epoch that contains an instant. */
export function secondOf(atMs: number): number {
  return Math.floor(atMs / 1000);
}

/** Zero debt, at a rate in millionths a year. */
export function noDebt(aprPpm: bigint): Debt {
  return { principalBase: 0n, interestParts: 0n, atSecond: 0, aprPpm };
}

/** The debt with interest accrued up to an instant. */
export function accrued(debt: Debt, atMs: number): Debt {
  const atSecond = secondOf(atMs);
  if (atSecond === debt.atSecond || debt.principalBase === 0n) return { ...debt, atSecond };
  const grown = debt.principalBase * debt.aprPpm * BigInt(atSecond - debt.atSecond);
  return { ...debt, atSecond, interestParts: debt.interestParts + grown };
}

/** Accrued interest of a debt, rounded up. */
function interestBase(debt: Debt): bigint {
  return (debt.interestParts + PARTS - 1n) / PARTS;
}

/** Principal and interest at an instant, rounded up. */
export function owedBase(debt: Debt, atMs: number): bigint {
  if (debt.principalBase === 0n && debt.interestParts === 0n) return 0n;
  return debt.principalBase + interestBase(accrued(debt, atMs));
}

export function lent(debt: Debt, amountBase: bigint, atMs: number): Debt {
  const before = accrued(debt, atMs);
  return { ...before, principalBase: before.principalBase + amountBase };
}

/** A payment of `amountBase`, or of the debt when that is less: interest first, then principal. */
export function paid(debt: Debt, amountBase: bigint, atMs: number) {
  const before = accrued(debt, atMs);
  const interest = interestBase(before);
  const owed = before.principalBase + interest;
  const chargedBase = amountBase < owed ? amountBase : owed;
  const toInterest = chargedBase < interest ? chargedBase : interest;
  const toPrincipal = chargedBase - toInterest;
  const interestParts = toInterest === interest ? 0n : before.interestParts - toInterest * PARTS;
  return {
    debt: { ...before, interestParts, principalBase: before.principalBase - toPrincipal } satisfies Debt,
    chargedBase,
    interestBase: toInterest,
    principalBase: toPrincipal,
  };
}

/** The borrowing limit for savings: floor(LTV × principal). Source: docs/reference/fidelity.md, Collateral credit. */
export function collateralLimitBase(savingsBase: bigint, ltvPpm: bigint): bigint {
  return (savingsBase * ltvPpm) / 1_000_000n;
}

/** The minimum savings whose limit covers a debt. */
export function savingsFor(debtBase: bigint, ltvPpm: bigint): bigint {
  return (debtBase * 1_000_000n + ltvPpm - 1n) / ltvPpm;
}
