/** The description of a metric in reports. */
export interface MetricFacts {
  /** The quantity and its unit. */
  readonly summary: string;
  /** The unit in plots of means. */
  readonly unit?: string;
  /** The form of its keys; empty for a metric without keys. */
  readonly keys: string;
  /** Whether it measures an instant, the ticks since the last measurement, or the time since the run began. */
  readonly of: 'instant' | 'tick' | 'run';
  /** Whether a key without a value has no row, as a mean over no agents has none. Otherwise its value is 0. */
  readonly hasGaps?: boolean;
}

/** The built-in metrics. Amounts are in token units, values in USD, shares from 0 to 1. */
export const METRICS = {
  balances: {
    unit: 'token units',
    summary: 'balances of the accounts of the journal, positive on their normal side, in token units',
    keys: 'account/token',
    of: 'instant',
  },
  liquidity: {
    unit: 'token units',
    summary:
      'treasury funds available for payouts, without amounts reserved for payments in progress, in token units',
    keys: 'token',
    of: 'instant',
  },
  limitUse: {
    unit: 'share',
    summary: 'mean used share of the daily limit, among agents that used it since the last measurement',
    keys: 'withdraw|x402/persona',
    of: 'tick',
    hasGaps: true,
  },
  limitHits: {
    unit: 'calls per tick',
    summary: 'calls refused because of the daily limit',
    keys: 'withdraw|x402/persona',
    of: 'tick',
  },
  creditUse: {
    unit: 'share',
    summary: 'debt with interest as a share of the maximum that all USDC savings allow',
    keys: '',
    of: 'instant',
  },
  ltv: {
    unit: 'share',
    summary: 'debt with interest as a share of the savings that secure it: quantiles over the borrowers',
    keys: 'p10|p50|p90|max',
    of: 'instant',
  },
  outstanding: {
    unit: 'USDC',
    summary: 'principal owed, with late fees, in USDC',
    keys: 'collateral|credit-lines',
    of: 'instant',
  },
  loans: { unit: 'credit lines', summary: 'number of credit lines', keys: 'status', of: 'instant' },
  approvals: {
    unit: 'credit lines',
    summary: 'number of approved credit lines by the probability of default at application, in bands',
    keys: 'band',
    of: 'run',
  },
  defaults: {
    unit: 'credit lines',
    summary: 'number of defaulted credit lines by the probability of default at application, in bands',
    keys: 'band',
    of: 'run',
  },
  consequences: {
    unit: 'number, or USDC',
    summary:
      'liquidations of collateral loans, late fees and set-offs: their number and their amounts in USDC',
    keys: 'liquidation|late_fee|set_off, each also with /USDC',
    of: 'run',
  },
  refusals: { unit: 'calls per tick', summary: 'refused calls', keys: 'error code', of: 'tick' },
  actions: {
    unit: 'actions per tick',
    summary: 'actions of agents, including refused actions',
    keys: 'action',
    of: 'tick',
  },
  volume: {
    unit: 'token units per tick',
    summary: 'completed payments by x402, in token units',
    keys: 'token',
    of: 'tick',
  },
  yieldPaid: {
    unit: 'token units',
    summary: 'yield paid out with withdrawn savings, in token units',
    keys: 'token',
    of: 'run',
  },
  rates: {
    summary: 'savings rates as fractions, and prices in USD',
    keys: 'apy|usd/token',
    of: 'instant',
  },
} as const satisfies Readonly<Record<string, MetricFacts>>;

/** The name of a built-in metric. */
export type MetricName = keyof typeof METRICS;

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
