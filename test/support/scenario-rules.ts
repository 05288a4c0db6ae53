/** The rules of the service's published description, by subject. A scenario of this project names those that it covers as tags. */
const RULES = {
  auth: ['challenge', 'signature', 'required', 'lifetime', 'public'],
  tokens: ['supported'],
  errors: ['status'],
  profile: ['score', 'chain', 'identity'],
  eligibility: ['terms'],
  account: ['overview'],
  deposit: ['verified', 'once'],
  withdraw: ['destination', 'daily'],
  history: ['page', 'filter'],
  savings: ['move', 'yield', 'locked'],
  rates: ['public'],
  collateral: ['ltv', 'apr', 'instant', 'repay'],
  x402: ['pay', 'daily', 'receive', 'request', 'once', 'expiry', 'flow'],
  loans: ['apply', 'amount', 'apr', 'purpose', 'duration', 'list', 'repay'],
  onboard: ['guide'],
  discovery: ['pages'],
};

/** Limits of the service. Each must be tested below, exactly at, and above the limit. */
const LIMITS = [
  'withdraw-daily',
  'x402-daily',
  'collateral-ltv',
  'savings-locked',
  'checking-balance',
  'savings-balance',
  'loan-minimum',
  'loan-maximum',
  'loan-duration',
  'token-lifetime',
  'challenge-lifetime',
  'request-lifetime',
  'page-size',
  'body-size',
  'usdc-precision',
  'sol-precision',
  'idempotency-lifetime',
  'review-delay',
  'loan-due',
  'loan-default',
];

export const PUBLISHED_RULES: readonly string[] = Object.entries(RULES).flatMap(([subject, names]) =>
  names.map((name) => `${subject}.${name}`),
);

/** The sides of all limits, such as `limit.withdraw-daily.above`. */
export const LIMIT_SIDES: readonly string[] = LIMITS.flatMap((limit) =>
  ['below', 'at', 'above'].map((side) => `limit.${limit}.${side}`),
);

/** What a tag with a dot can name. */
export const COVERABLE: readonly string[] = [...PUBLISHED_RULES, ...LIMIT_SIDES];
