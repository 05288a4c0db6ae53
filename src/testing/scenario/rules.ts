/** The rules of the service's published description, in our words. Scenarios declare which they cover. */
export const PUBLISHED_RULES = {
  'auth.challenge': 'A wallet gets a challenge that lives for a published number of seconds.',
  'auth.signature': "A token is given for the wallet's ed25519 signature of its challenge.",
  'auth.required': 'A call of an account without a valid bearer token is answered 401.',
  'auth.lifetime': 'A token is good for 24 hours.',
  'auth.public': 'Challenge, verify, yield rates, onboarding and discovery need no token.',
  'tokens.supported': 'USDC and SOL are supported, and nothing else.',
  'errors.status': 'Bad input is 400, a bad token 401, what is forbidden 403, what is not there 404.',
  'profile.score': 'The profile tells a credit score with its category, limit, APR and decision.',
  'profile.chain': 'The profile tells what the chain knows of the wallet.',
  'profile.identity': 'Accounts that a human operator has linked are in the profile and raise the score.',
  'eligibility.terms': 'Eligibility tells whether a credit line has a chance, and its terms.',
  'account.overview': 'The overview tells checking, savings, yield and collateral credit.',
  'deposit.verified':
    'A deposit counts when the chain shows it: sent to the treasury, confirmed, this amount.',
  'deposit.once': 'A transaction is credited once.',
  'withdraw.destination': "A withdrawal goes to the wallet that is named, or to the agent's own.",
  'withdraw.daily': 'Withdrawals are limited to 1,000 USD equivalent a day.',
  'history.page': 'The history comes in pages of 50 unless asked otherwise.',
  'history.filter': 'The history can be had of one type or token.',
  'savings.move': 'Funds move from checking to savings and back.',
  'savings.yield': 'Savings earn a variable yield, which is included when they are withdrawn.',
  'savings.locked': 'While a collateral loan exists, enough savings stay in place.',
  'rates.public': 'The yield rates name their source and can be read by anybody.',
  'collateral.ltv': 'A collateral loan is at most 70 % of the USDC savings.',
  'collateral.apr': 'A collateral loan costs 8 % a year.',
  'collateral.instant': 'A collateral loan is given at once, without an application.',
  'collateral.repay': 'A collateral loan is repaid from checking.',
  'x402.pay': 'A payment comes out of checking and gives a receipt.',
  'x402.daily': 'Payments by x402 are limited to 1,000 USD equivalent a day.',
  'x402.receive': 'A payment that has arrived on chain is verified and credited to checking.',
  'x402.request': 'A payment request comes with the headers of a 402 answer.',
  'x402.once': 'A payment request is paid once.',
  'x402.expiry': 'A payment request expires after 3,600 seconds unless asked otherwise.',
  'x402.flow': 'A service answers 402, is paid through the bank, and grants access for the receipt.',
  'loans.apply': 'An application for a credit line is approved, denied or sent to human review.',
  'loans.amount': 'Credit lines run from 100 to 10,000 USD.',
  'loans.apr': 'Credit lines cost 18 % to 65 % a year.',
  'loans.purpose': 'An application names one of the published purposes.',
  'loans.duration': 'An application is for 30 days unless it says otherwise.',
  'loans.list': 'An agent sees its loans, each by its id, and their summary.',
  'loans.repay': 'A loan is repaid from checking or by a transaction on chain.',
  'onboard.guide': 'Onboarding tells step by step how to use the service.',
  'discovery.pages': 'The well-known pages and {base_url}/docs describe the service.',
} as const;

/** Limits of the service, each to be tested below, exactly at, and above. */
export const LIMITS = {
  'withdraw-daily': 'withdrawals a day: 1,000 USD',
  'x402-daily': 'payments a day: 1,000 USD',
  'collateral-ltv': 'a collateral loan: 70 % of the USDC savings',
  'savings-locked': 'savings that secure a loan',
  'checking-balance': 'what is in checking',
  'savings-balance': 'what is in savings',
  'loan-minimum': 'a credit line: 100 USD or more',
  'loan-maximum': 'a credit line: 10,000 USD or less',
  'loan-duration': 'the days of a credit line',
  'token-lifetime': 'a token: 24 hours',
  'challenge-lifetime': 'a challenge: 300 seconds',
  'request-lifetime': 'a payment request: its seconds',
  'page-size': 'records in a page of the history: 100',
  'body-size': 'a request body: 64 KiB',
  'usdc-precision': 'six decimals of USDC',
  'sol-precision': 'nine decimals of SOL',
  'idempotency-lifetime': 'an Idempotency-Key: 24 hours',
  'review-delay': 'when a delayed review is decided',
  'loan-due': 'when a credit line is due',
  'loan-default': 'when an overdue credit line defaults',
} as const;

const SIDES = ['below', 'at', 'above'] as const;

/** Every side of every limit, such as `limit.withdraw-daily.above`. */
export const LIMIT_SIDES: readonly string[] = Object.keys(LIMITS).flatMap((limit) =>
  SIDES.map((side) => `limit.${limit}.${side}`),
);

/** Everything that a scenario can declare to cover. */
export const COVERABLE: readonly string[] = [...Object.keys(PUBLISHED_RULES), ...LIMIT_SIDES];
