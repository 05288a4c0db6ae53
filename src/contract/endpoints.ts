import { z } from 'zod';
import { type BankLimits, PUBLISHED_LIMITS } from '../core/domain/bank-limits.js';
import { PURPOSES, type Variants } from '../core/domain/variants.js';
import * as account from './account.js';
import * as auth from './auth.js';
import * as loans from './loans.js';
import * as profile from './profile.js';
import * as x402 from './x402.js';

/** The path with the version segment that ends every base URL. */
export const BASE_PATH = '/api/v1';

/** The static description of one operation of the service. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL; `{id}` is a loan's id. */
  readonly path: string;
  readonly area: 'auth' | 'credit' | 'account' | 'savings' | 'collateral' | 'x402' | 'loans' | 'onboard';
  readonly auth: 'bearer' | 'none';
  readonly summary: string;
  /**
   * Set when it sends the body's `amount` of `token` out of the account, for callers that limit spending: the member of
   * the body that names the recipient. The caller's own wallet when that member is left out.
   */
  readonly spends?: 'destination' | 'recipient';
  /** Set on a GET that may write: it opens an account for a wallet without one. */
  readonly writes?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType;
}

/** Whether an operation only reads. */
export function onlyReads({ method, writes }: Endpoint): boolean {
  return method === 'GET' && writes !== true;
}

type Details = Omit<Endpoint, 'method' | 'path' | 'auth'> & { readonly auth?: 'none' };

/** Makes endpoints of a method, which need the token unless their details say otherwise. */
const endpointsOf =
  <M extends Endpoint['method']>(method: M) =>
  <D extends Details>(
    path: string,
    details: D,
  ): D & { readonly method: M; readonly path: string; readonly auth: Endpoint['auth'] } => ({
    auth: 'bearer',
    ...details,
    method,
    path,
  });
const get = endpointsOf('GET');
const post = endpointsOf('POST');

/** The service's operations by id, for a set of variants and the limits of the bank. */
export function endpoints(variants: Variants, limits: BankLimits = PUBLISHED_LIMITS) {
  return {
    challenge: post('/agent/auth/challenge', {
      area: 'auth',
      auth: 'none',
      summary: 'Get a challenge for a wallet to sign',
      body: auth.challengeBody,
      response: auth.challengeResponse,
    }),
    verify: post('/agent/auth/verify', {
      area: 'auth',
      auth: 'none',
      summary: 'Exchange a signed challenge for a bearer token',
      body: auth.verifyBody,
      response: auth.verifyResponse,
    }),
    profile: get('/agent/profile', {
      area: 'credit',
      summary: 'Get credit score, on-chain data and identity links',
      response: profile.profileResponse,
    }),
    eligibility: get('/agent/eligibility', {
      area: 'credit',
      summary: 'Check eligibility for a credit line, and its terms',
      query: profile.eligibilityQuery(PURPOSES[variants.purposes]),
      response: profile.eligibilityResponse,
    }),
    account: get('/agent/account', {
      area: 'account',
      summary: 'Get balances, earned yield, rates and collateral credit',
      response: account.overviewResponse(variants.overview),
    }),
    deposit: post('/agent/account/deposit', {
      area: 'account',
      summary: 'Record a deposit sent to the treasury on chain',
      body: account.depositBody,
      response: account.depositResponse,
    }),
    withdraw: post('/agent/account/withdraw', {
      area: 'account',
      summary: 'Withdraw tokens from checking to a wallet',
      spends: 'destination',
      body: account.withdrawBody,
      response: account.withdrawResponse,
    }),
    transactions: get('/agent/account/transactions', {
      area: 'account',
      summary: 'List transactions, newest first',
      query: account.transactionsQuery(variants.historyTypes, limits),
      response: account.transactionsResponse(limits),
    }),
    savingsDeposit: post('/agent/account/savings/deposit', {
      area: 'savings',
      summary: 'Move funds from checking to savings',
      body: account.savingsBody,
      response: account.savingsDepositResponse,
    }),
    savingsWithdraw: post('/agent/account/savings/withdraw', {
      area: 'savings',
      summary: 'Move savings and their yield to checking',
      body: account.savingsBody,
      response: account.savingsWithdrawResponse,
    }),
    yieldRates: get('/agent/account/savings/yield', {
      area: 'savings',
      auth: 'none',
      summary: 'Get current savings rates',
      response: account.yieldResponse,
    }),
    collateralBorrow: post('/agent/account/collateral/borrow', {
      area: 'collateral',
      summary: 'Borrow USDC against USDC savings',
      body: account.borrowBody,
      response: account.borrowResponse,
    }),
    collateralRepay: post('/agent/account/collateral/repay', {
      area: 'collateral',
      summary: 'Repay the collateral loan from checking',
      body: account.collateralRepayBody,
      response: account.collateralRepayResponse,
    }),
    x402Pay: post('/agent/account/x402/pay', {
      area: 'x402',
      summary: 'Pay a wallet and get a signed receipt',
      spends: 'recipient',
      body: x402.payBody,
      response: x402.payResponse,
    }),
    x402Receive: post('/agent/account/x402/receive', {
      area: 'x402',
      summary: 'Credit a payment that arrived at the collection address',
      body: x402.receiveBody,
      response: x402.receiveResponse,
    }),
    x402Request: get('/agent/account/x402/request', {
      area: 'x402',
      summary: 'Create a payment request and the headers of a 402 response',
      writes: true,
      query: x402.requestQuery(limits),
      response: x402.requestResponse,
    }),
    loans: get('/agent/loans', {
      area: 'loans',
      summary: 'List credit lines and applications',
      response: loans.loansResponse,
    }),
    loanApply: post('/agent/loans', {
      area: 'loans',
      summary: 'Apply for a credit line',
      body: loans.loanApplicationBody(variants, limits),
      response: loans.loanApplicationResponse,
    }),
    loan: get('/agent/loans/{id}', {
      area: 'loans',
      summary: 'Get a credit line',
      params: loans.loanParams,
      response: loans.loanResponse,
    }),
    loanRepay: post('/agent/loans/{id}/repay', {
      area: 'loans',
      summary: 'Repay a credit line from checking or by an on-chain transaction',
      params: loans.loanParams,
      body: loans.repayBody,
      response: loans.repayResponse,
    }),
    onboard: get('/agent/onboard', {
      area: 'onboard',
      auth: 'none',
      summary: 'Get step-by-step instructions for using the service',
      response: z
        .object({ steps: z.array(z.object({ step: z.int(), title: z.string(), text: z.string() })) })
        .loose(),
    }),
  } satisfies Record<string, Endpoint>;
}

export type Endpoints = ReturnType<typeof endpoints>;
export type EndpointId = keyof Endpoints;
/** Query and response types of an endpoint, for the default variants. */
export type QueryOf<I extends EndpointId> = Endpoints[I] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;
export type ResponseOf<I extends EndpointId> = I extends 'account'
  ? z.output<typeof account.mergedOverview>
  : z.output<Endpoints[I]['response']>;
