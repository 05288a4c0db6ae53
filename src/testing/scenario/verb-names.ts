import type { EndpointId } from '../../contract/endpoints.js';

/** Names of agents' operations in scenarios. */
export const VERB_NAMES: Readonly<Record<EndpointId, string>> = {
  challenge: 'challenge',
  verify: 'verify',
  profile: 'profile',
  eligibility: 'eligibility',
  account: 'account',
  deposit: 'deposit',
  withdraw: 'withdraw',
  transactions: 'transactions',
  savingsDeposit: 'savings.deposit',
  savingsWithdraw: 'savings.withdraw',
  yieldRates: 'savings.yield',
  collateralBorrow: 'collateral.borrow',
  collateralRepay: 'collateral.repay',
  x402Pay: 'x402.pay',
  x402Receive: 'x402.receive',
  x402Request: 'x402.request',
  loans: 'loans',
  loanApply: 'loans.apply',
  loan: 'loans.get',
  loanRepay: 'loans.repay',
  onboard: 'onboard',
};
