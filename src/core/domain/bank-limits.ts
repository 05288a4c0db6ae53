/** A limit of the bank: its published value, its minimum, its maximum, and how many decimals it may have. */
interface BankLimit {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
  readonly decimals: number;
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Limits of the service description, which a world may replace by others. docs/reference/limits.md describes each. */
export const BANK_LIMITS = {
  /** USD equivalent that an agent may withdraw in a day. */
  dailyWithdrawalUsd: { standard: 1_000, least: 0, most: 1e9, decimals: 6 },
  /** USD equivalent that an agent may pay by x402 in a day. */
  dailyPaymentUsd: { standard: 1_000, least: 0, most: 1e9, decimals: 6 },
  /** Share of the USDC savings that may be borrowed against them. */
  maxLtv: { standard: 0.7, least: 0.000001, most: 1, decimals: 6 },
  /** APR of loans against savings. */
  collateralApr: { standard: 0.08, least: 0, most: 10, decimals: 6 },
  /** Smallest and largest credit line; also the credit limits of the lowest score that is not denied, and of the highest. */
  minLoanUsd: { standard: 100, least: 1, most: 1e9, decimals: 0 },
  maxLoanUsd: { standard: 10_000, least: 1, most: 1e9, decimals: 0 },
  /** APR of credit lines at the highest score, and at the lowest. */
  minApr: { standard: 0.18, least: 0, most: 10, decimals: 6 },
  maxApr: { standard: 0.65, least: 0, most: 10, decimals: 6 },
  /** Share of its value that a collateral loan may reach before it is liquidated; 0 for never. */
  liquidationLtv: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Penalty of a liquidation, as a share of what is owed. */
  liquidationPenalty: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Late fee of a credit line at its due date: a fixed part, and a share of what is owed. */
  lateFeeUsd: { standard: 0, least: 0, most: 1e6, decimals: 6 },
  lateFeeRate: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Share of checking that is taken for a credit line when it defaults. */
  setOffShare: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Lifetime of a bearer token. */
  tokenSeconds: { standard: DAY_SECONDS, least: 1, most: YEAR_SECONDS, decimals: 0 },
  /** Lifetime of a challenge. */
  challengeSeconds: { standard: 300, least: 1, most: DAY_SECONDS, decimals: 0 },
  /** Lifetime of a payment request that names none. */
  requestSeconds: { standard: 3_600, least: 1, most: YEAR_SECONDS, decimals: 0 },
  /** Records in a page of the history at most. */
  historyRows: { standard: 100, least: 1, most: 10_000, decimals: 0 },
} as const satisfies Readonly<Record<string, BankLimit>>;

/** The name of a limit of the bank. */
export type BankLimitName = keyof typeof BANK_LIMITS;

/** A value for every limit of the bank, in the units of its name. */
export type BankLimits = Readonly<Record<BankLimitName, number>>;

/** The limits of the service description. */
export const PUBLISHED_LIMITS = Object.fromEntries(
  Object.entries(BANK_LIMITS).map(([name, { standard }]) => [name, standard]),
) as BankLimits;

/** The limits that are not the published ones. */
export function deviations(limits: BankLimits): Partial<BankLimits> {
  const names = Object.keys(BANK_LIMITS) as BankLimitName[];
  return Object.fromEntries(
    names.filter((name) => limits[name] !== PUBLISHED_LIMITS[name]).map((name) => [name, limits[name]]),
  );
}

/** The pairs of which the first may not exceed the second, unless that is 0 and 0 stands for none. */
export const ORDERED_LIMITS: readonly (readonly [BankLimitName, BankLimitName])[] = [
  ['minLoanUsd', 'maxLoanUsd'],
  ['minApr', 'maxApr'],
  ['maxLtv', 'liquidationLtv'],
];
