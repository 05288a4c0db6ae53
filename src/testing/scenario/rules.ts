/** The rules of the service's published description, in our words. Scenarios declare the rules they cover. */
export const PUBLISHED_RULES = {
  'auth.challenge': 'A wallet requests a challenge, which expires after a published number of seconds.',
  'auth.signature': "The service issues a token for the challenge signed with the wallet's Ed25519 key.",
  'auth.required': 'An account call without a valid bearer token returns 401.',
  'auth.lifetime': 'A token is valid for 24 hours.',
  'auth.public': 'Challenge, verify, yield rates, onboarding and discovery need no token.',
  'tokens.supported': 'Only USDC and SOL are supported.',
  'errors.status':
    'Invalid input returns 400, an invalid token 401, a forbidden operation 403, a missing resource 404.',
  'profile.score': 'The profile shows a credit score with its category, limit, APR and decision.',
  'profile.chain': 'The profile shows the data of the wallet on chain.',
  'profile.identity': 'Accounts that a human operator has linked appear in the profile and raise the score.',
  'eligibility.terms':
    'Eligibility shows whether an application for a credit line can succeed, and its terms.',
  'account.overview': 'The overview shows checking, savings, yield and collateral credit.',
  'deposit.verified':
    'A deposit is recorded only if the chain shows a confirmed transfer of this amount to the treasury.',
  'deposit.once': 'A transaction is credited once.',
  'withdraw.destination': "A withdrawal goes to the recipient in the request or to the agent's own wallet.",
  'withdraw.daily': 'Withdrawals are limited to the equivalent of 1,000 USD per day.',
  'history.page': 'A page of the history has 50 records by default.',
  'history.filter': 'The history can be filtered by type and by token.',
  'savings.move': 'Funds can move from checking to savings and back.',
  'savings.yield': 'Savings earn a variable yield, which is paid when savings are withdrawn.',
  'savings.locked': 'Savings that secure a collateral loan cannot be withdrawn.',
  'rates.public': 'The yield rates name their source and are public.',
  'collateral.ltv': 'A collateral loan is at most 70 % of the USDC savings.',
  'collateral.apr': 'A collateral loan costs 8 % a year.',
  'collateral.instant': 'A collateral loan is paid out immediately, without an application.',
  'collateral.repay': 'A collateral loan is repaid from checking.',
  'x402.pay': 'A payment is debited from checking and returns a receipt.',
  'x402.daily': 'Payments by x402 are limited to the equivalent of 1,000 USD per day.',
  'x402.receive': 'The bank verifies a payment that arrived on chain and credits it to checking.',
  'x402.request': 'A payment request includes the headers of a 402 response.',
  'x402.once': 'A payment request can be paid once.',
  'x402.expiry': 'A payment request expires after 3,600 seconds by default.',
  'x402.flow': 'A service responds with 402, is paid through the bank, and grants access for the receipt.',
  'loans.apply': 'An application for a credit line is approved, denied or sent to human review.',
  'loans.amount': 'Credit lines range from 100 to 10,000 USD.',
  'loans.apr': 'Credit lines cost 18 % to 65 % a year.',
  'loans.purpose': 'An application states one of the published purposes.',
  'loans.duration': 'The term of an application is 30 days by default.',
  'loans.list': 'An agent can read its loans, each loan by id, and a summary.',
  'loans.repay': 'A loan is repaid from checking or by a transaction on chain.',
  'onboard.guide': 'Onboarding explains step by step how to use the service.',
  'discovery.pages': 'The well-known pages and {base_url}/docs describe the service.',
} as const;

/** Limits of the service. Each must be tested below, exactly at, and above the limit. */
export const LIMITS = {
  'withdraw-daily': 'withdrawals per day: 1,000 USD',
  'x402-daily': 'payments per day: 1,000 USD',
  'collateral-ltv': 'a collateral loan: 70 % of the USDC savings',
  'savings-locked': 'savings that secure a loan',
  'checking-balance': 'the checking balance',
  'savings-balance': 'the savings balance',
  'loan-minimum': 'a credit line: 100 USD or more',
  'loan-maximum': 'a credit line: 10,000 USD or less',
  'loan-duration': 'the term of a credit line in days',
  'token-lifetime': 'a token: 24 hours',
  'challenge-lifetime': 'a challenge: 300 seconds',
  'request-lifetime': 'the lifetime of a payment request in seconds',
  'page-size': 'records per page of the history: 100',
  'body-size': 'a request body: 64 KiB',
  'usdc-precision': 'the six decimals of USDC',
  'sol-precision': 'the nine decimals of SOL',
  'idempotency-lifetime': 'an Idempotency-Key: 24 hours',
  'review-delay': 'the decision time of a delayed review',
  'loan-due': 'the due date of a credit line',
  'loan-default': 'the default date of an overdue credit line',
} as const;

const SIDES = ['below', 'at', 'above'] as const;

/** The sides of all limits, such as `limit.withdraw-daily.above`. */
export const LIMIT_SIDES: readonly string[] = Object.keys(LIMITS).flatMap((limit) =>
  SIDES.map((side) => `limit.${limit}.${side}`),
);

export const COVERABLE: readonly string[] = [...Object.keys(PUBLISHED_RULES), ...LIMIT_SIDES];
