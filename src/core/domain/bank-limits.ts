/** A limit of the bank: its published value, its minimum, its maximum, and its number of decimals. */
interface BankLimit {
  readonly standard: number;
  readonly least: number;
  readonly most: number;
  readonly decimals: number;
}

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Limits of the service description, which a world may override. docs/reference/limits.md describes each. */
export const BANK_LIMITS = {
  /** USD equivalent that an agent may withdraw per day. */
  dailyWithdrawalUsd: { standard: 1_000, least: 0, most: 1e9, decimals: 6 },
  /** USD equivalent that an agent may pay by x402 per day. */
  dailyPaymentUsd: { standard: 1_000, least: 0, most: 1e9, decimals: 6 },
  /** Share of the USDC savings that an agent may borrow against them. */
  maxLtv: { standard: 0.7, least: 0.000001, most: 1, decimals: 6 },
  /** APR of collateral loans. */
  collateralApr: { standard: 0.08, least: 0, most: 10, decimals: 6 },
  /** Smallest and largest credit line; also the credit limits at the lowest accepted score and at the highest score. */
  minLoanUsd: { standard: 100, least: 1, most: 1e9, decimals: 0 },
  maxLoanUsd: { standard: 10_000, least: 1, most: 1e9, decimals: 0 },
  /** APR of credit lines at the highest score, and at the lowest. */
  minApr: { standard: 0.18, least: 0, most: 10, decimals: 6 },
  maxApr: { standard: 0.65, least: 0, most: 10, decimals: 6 },
  /** Share of the collateral's value above which a collateral loan is liquidated; 0 for never. */
  liquidationLtv: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Penalty of a liquidation, as a share of the debt. */
  liquidationPenalty: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Late fee of a credit line at its due date: a fixed part, and a share of the debt. */
  lateFeeUsd: { standard: 0, least: 0, most: 1e6, decimals: 6 },
  lateFeeRate: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Share of checking that repays a credit line when it defaults. */
  setOffShare: { standard: 0, least: 0, most: 1, decimals: 6 },
  /** Lifetime of a bearer token. */
  tokenSeconds: { standard: DAY_SECONDS, least: 1, most: YEAR_SECONDS, decimals: 0 },
  /** Lifetime of a challenge. */
  challengeSeconds: { standard: 300, least: 1, most: DAY_SECONDS, decimals: 0 },
  /** Lifetime of a payment request without its own. */
  requestSeconds: { standard: 3_600, least: 1, most: YEAR_SECONDS, decimals: 0 },
  /** Maximum records per page of the history. */
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

/** The limits that differ from the published limits. */
export function deviations(limits: BankLimits): Partial<BankLimits> {
  const names = Object.keys(BANK_LIMITS) as BankLimitName[];
  return Object.fromEntries(
    names.filter((name) => limits[name] !== PUBLISHED_LIMITS[name]).map((name) => [name, limits[name]]),
  );
}

/** Pairs in which the first limit must not exceed the second, unless the second is 0 and 0 means no limit. */
export const ORDERED_LIMITS: readonly (readonly [BankLimitName, BankLimitName])[] = [
  ['minLoanUsd', 'maxLoanUsd'],
  ['minApr', 'maxApr'],
  ['maxLtv', 'liquidationLtv'],
];
