/** Daily limit of withdrawals, and of payments: 1000 USD in millionths. Source: service description, Limits. */
export const DAILY_LIMIT_MICRO = 1_000_000_000n;
