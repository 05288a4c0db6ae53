import type { PlantedBug } from './bug.js';

const AGING = 'core/domain/operations/age-loan.ts';
const LIQUIDATION = 'core/domain/operations/liquidate.ts';
const COSTLY = [
  '--limit',
  'liquidationLtv=0.7',
  '--limit',
  'liquidationPenalty=0.05',
  '--limit',
  'collateralApr=10',
];
const LATE = [
  '--limit',
  'lateFeeRate=0.123457',
  '--limit',
  'setOffShare=0.333333',
  '--limit',
  'minLoanUsd=1',
];

/** Bugs of what happens to debts that are not paid. */
export const CONSEQUENCES: readonly PlantedBug[] = [
  {
    name: 'a collateral loan is liquidated as soon as it owes the share exactly',
    file: LIQUIDATION,
    from: 'owedBase * PPM <= terms.liquidationPpm * valueBase',
    to: 'owedBase * PPM < terms.liquidationPpm * valueBase',
    flags: ['--limit', 'liquidationLtv=0.7', '--limit', 'collateralApr=0'],
  },
  {
    name: 'savings count without their yield when a collateral loan is looked at',
    file: LIQUIDATION,
    from: 'const valueBase = position.principalBase + yielded;',
    to: 'const valueBase = position.principalBase;',
    flags: ['--limit', 'liquidationLtv=0.7', '--limit', 'collateralApr=0.000001'],
  },
  {
    name: 'the penalty of a liquidation rounds down',
    file: LIQUIDATION,
    from: "terms.liquidationPenaltyPpm, PPM, 'ceil')",
    to: "terms.liquidationPenaltyPpm, PPM, 'floor')",
    flags: COSTLY,
  },
  {
    name: 'collateral loans are looked at an hour late',
    file: LIQUIDATION,
    from: 'startOfUtcDay(atMs) + DAY_MS;',
    to: 'startOfUtcDay(atMs - 3_600_000) + DAY_MS + 3_600_000;',
    flags: COSTLY,
  },
  {
    name: 'a late fee is charged on the amount lent',
    file: AGING,
    from: 'mulDiv(owedBase, terms.lateFeePpm',
    to: 'mulDiv(loan.amountBase, terms.lateFeePpm',
    flags: LATE,
  },
  {
    name: 'a set-off takes a base unit too much',
    file: AGING,
    from: "terms.setOffPpm, PPM, 'floor')",
    to: "terms.setOffPpm, PPM, 'ceil')",
    flags: LATE,
  },
];
