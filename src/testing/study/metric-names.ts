/** A metric, as reports explain it. */
export interface MetricFacts {
  /** What is measured, and in which unit. */
  readonly summary: string;
  /** The form of its keys; empty for a metric without. */
  readonly keys: string;
  /** Of the instant; of the tick that ended; or since the run began. */
  readonly of: 'instant' | 'tick' | 'run';
}

/** The built-in metrics. Amounts are in token units, values in USD, shares from 0 to 1. */
export const METRICS = {
  balances: {
    summary: 'balances of the accounts of the journal, positive on their normal side, in token units',
    keys: 'account/token',
    of: 'instant',
  },
  liquidity: {
    summary: 'what the treasury can pay out, less what is reserved for payments under way, in token units',
    keys: 'token',
    of: 'instant',
  },
  limitUse: {
    summary: 'mean share of the daily limit that is used, of the agents that used any of it in the tick',
    keys: 'withdraw|x402/persona',
    of: 'tick',
  },
  limitHits: {
    summary: 'calls that were refused because of the daily limit',
    keys: 'withdraw|x402/persona',
    of: 'tick',
  },
  creditUse: {
    summary: 'debt with interest as a share of what all savings of USDC allow to borrow',
    keys: '',
    of: 'instant',
  },
  ltv: {
    summary: 'debt with interest as a share of the savings that secure it: quantiles of the borrowers',
    keys: 'p10|p50|p90|max',
    of: 'instant',
  },
  outstanding: {
    summary: 'principal owed, in USDC',
    keys: 'collateral|credit-lines',
    of: 'instant',
  },
  loans: { summary: 'number of credit lines', keys: 'status', of: 'instant' },
  approvals: {
    summary: 'number of approved credit lines by the band of the probability of default at their application',
    keys: 'band',
    of: 'run',
  },
  defaults: {
    summary:
      'number of defaulted credit lines by the band of the probability of default at their application',
    keys: 'band',
    of: 'run',
  },
  consequences: {
    summary:
      'liquidations of collateral loans, late fees and set-offs: their number, and what they took or added in USDC',
    keys: 'liquidation|late_fee|set_off, and the same with /USDC',
    of: 'run',
  },
  refusals: { summary: 'refused calls', keys: 'error code', of: 'tick' },
  actions: { summary: 'actions of agents, refused ones among them', keys: 'action', of: 'tick' },
  volume: { summary: 'completed payments by x402, in token units', keys: 'token', of: 'tick' },
  yieldPaid: { summary: 'yield paid out with withdrawn savings, in token units', keys: 'token', of: 'run' },
  rates: {
    summary: 'savings rates as fractions, and prices in USD',
    keys: 'apy|usd/token',
    of: 'instant',
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

/** The name of a built-in metric. */
export type MetricName = keyof typeof METRICS;

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
