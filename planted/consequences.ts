import type { PlantedBug } from './bug.js';

const AGING = 'core/domain/operations/age-loan.ts';
const LIQUIDATION = 'core/domain/operations/liquidate.ts';
const COSTLY = { limits: { liquidationLtv: 0.7, liquidationPenalty: 0.05, collateralApr: 10 } };
const LATE = { limits: { lateFeeRate: 0.123457, setOffShare: 0.333333, minLoanUsd: 1 } };

/** Bugs of what happens to debts that are not paid. */
export const CONSEQUENCES: readonly PlantedBug[] = [
  {
    name: 'a collateral loan is liquidated as soon as it owes the share exactly',
    file: LIQUIDATION,
    from: 'owedBase * PPM <= terms.liquidationPpm * valueBase',
    to: 'owedBase * PPM < terms.liquidationPpm * valueBase',
    options: { limits: { liquidationLtv: 0.7, collateralApr: 0 } },
  },
  {
    name: 'savings count without their yield when a collateral loan is looked at',
    file: LIQUIDATION,
    from: 'const valueBase = position.principalBase + yielded;',
    to: 'const valueBase = position.principalBase;',
    options: { limits: { liquidationLtv: 0.7, collateralApr: 0.000001 } },
  },
  {
    name: 'the penalty of a liquidation rounds down',
    file: LIQUIDATION,
    from: "terms.liquidationPenaltyPpm, PPM, 'ceil')",
    to: "terms.liquidationPenaltyPpm, PPM, 'floor')",
    options: COSTLY,
  },
  {
    name: 'collateral loans are looked at an hour late',
    file: LIQUIDATION,
    from: 'startOfUtcDay(atMs) + DAY_MS;',
    to: 'startOfUtcDay(atMs - 3_600_000) + DAY_MS + 3_600_000;',
    options: COSTLY,
  },
  {
    name: 'a late fee is charged on the amount lent',
    file: AGING,
    from: 'mulDiv(owedBase, terms.lateFeePpm',
    to: 'mulDiv(loan.amountBase, terms.lateFeePpm',
    options: LATE,
  },
  {
    name: 'a set-off takes a base unit too much',
    file: AGING,
    from: "terms.setOffPpm, PPM, 'floor')",
    to: "terms.setOffPpm, PPM, 'ceil')",
    options: LATE,
  },
];
