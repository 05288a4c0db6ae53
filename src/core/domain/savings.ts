import { mulDiv } from './money.js';
import { RAY } from './rates.js';

/**
 * Savings of one token. `valueRay` (base units × 10^27) is the value at the yield index `indexRay`; `bookedYieldBase`
 * is the part of the yield that is already in the journal.
 */
export interface SavingsPosition {
  readonly principalBase: bigint;
  readonly bookedYieldBase: bigint;
  readonly valueRay: bigint;
  readonly indexRay: bigint;
}

export const NO_SAVINGS: SavingsPosition = {
  principalBase: 0n,
  bookedYieldBase: 0n,
  valueRay: 0n,
  indexRay: RAY,
};

function valueAt(position: SavingsPosition, indexRay: bigint): bigint {
  if (indexRay === position.indexRay || position.valueRay === 0n) return position.valueRay;
  return mulDiv(position.valueRay, indexRay, position.indexRay, 'floor');
}

/**
 * A ten-millionth of a base unit. Indices err by one part in 10^27: without it, whether a yield reaches a whole base unit would depend on
 * when it began. The error of a value is smaller up to 5 × 10^19 base units, more than a token account can hold.
 */
const FORGIVEN = RAY / 10_000_000n;

/** Yield earned and not withdrawn at the index `indexRay`, in base units, rounded down. */
export function yieldAt(position: SavingsPosition, indexRay: bigint): bigint {
  return (valueAt(position, indexRay) + FORGIVEN) / RAY - position.principalBase;
}

/** The position with its yield booked at `indexRay`. */
export function accrueYield(position: SavingsPosition, indexRay: bigint): SavingsPosition {
  return {
    principalBase: position.principalBase,
    bookedYieldBase: yieldAt(position, indexRay),
    valueRay: valueAt(position, indexRay),
    indexRay,
  };
}

/** The position after a deposit at `indexRay`; books its yield first. */
export function addSavings(position: SavingsPosition, amountBase: bigint, indexRay: bigint): SavingsPosition {
  const accrued = accrueYield(position, indexRay);
  return {
    ...accrued,
    principalBase: accrued.principalBase + amountBase,
    valueRay: accrued.valueRay + amountBase * RAY,
  };
}

/** The yield withdrawn along with `amountBase` of the principal: its proportional share, rounded down. */
export function yieldShare(position: SavingsPosition, amountBase: bigint, indexRay: bigint): bigint {
  if (position.principalBase === 0n) return 0n;
  return mulDiv(yieldAt(position, indexRay), amountBase, position.principalBase, 'floor');
}

/** The position after `amountBase` of principal and its share of the yield are withdrawn. An emptied position keeps no dust. */
export function removeSavings(
  position: SavingsPosition,
  amountBase: bigint,
  indexRay: bigint,
): SavingsPosition {
  const share = yieldShare(position, amountBase, indexRay);
  const accrued = accrueYield(position, indexRay);
  if (accrued.principalBase === amountBase) return { ...NO_SAVINGS, indexRay };
  return {
    principalBase: accrued.principalBase - amountBase,
    bookedYieldBase: accrued.bookedYieldBase - share,
    valueRay: accrued.valueRay - (amountBase + share) * RAY,
    indexRay,
  };
}
