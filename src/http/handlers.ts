import type { Bank } from '../bank/bank.js';
import type { EndpointId, Endpoints } from '../contract/endpoints.js';
import { ownLoan } from '../domain/operations/repay-loan.js';
import { type Result, ok } from '../domain/result.js';
import type { z } from 'zod';

/** A request that has passed all checks of its form. */
export interface Call<I extends EndpointId> {
  /** The authenticated customer; empty for endpoints without a token. */
  readonly wallet: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Endpoints[I] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly body: Endpoints[I] extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
  /** Scheme, host and port that the caller used. */
  readonly origin: string;
}

export type Handler<I extends EndpointId> = (call: Call<I>) => Result<unknown> | Promise<Result<unknown>>;

/** Checks of the path that come before the body's, by endpoint. */
export type PathCheck = (
  bank: Bank,
  wallet: string,
  params: Readonly<Record<string, string>>,
) => Result<unknown>;

const ownsLoan: PathCheck = (bank, wallet, params) => ownLoan(bank.books.state, wallet, params['id'] ?? '');
export const PATH_CHECKS: Partial<Record<EndpointId, PathCheck>> = { loan: ownsLoan, loanRepay: ownsLoan };

/** What each endpoint does: one call of the bank. */
export function handlers(bank: Bank, onboard: (origin: string) => object): { [I in EndpointId]: Handler<I> } {
  return {
    challenge: ({ body }) => bank.challenge(body.wallet),
    verify: ({ body }) => bank.verify(body),
    profile: async ({ wallet }) => ok(await bank.credit.profile(wallet)),
    eligibility: ({ wallet, query }) => bank.credit.eligibility(wallet, query.amount),
    account: ({ wallet }) => ok(bank.account(wallet)),
    deposit: ({ wallet, body }) =>
      bank.deposit({ wallet, amount: body.amount, token: body.token, signature: body.tx_signature }),
    withdraw: ({ wallet, body }) => bank.withdraw({ wallet, ...body }),
    transactions: ({ wallet, query }) => ok(bank.transactions({ wallet, ...query })),
    savingsDeposit: ({ wallet, body }) => bank.savingsDeposit({ wallet, ...body }),
    savingsWithdraw: ({ wallet, body }) => bank.savingsWithdraw({ wallet, ...body }),
    yieldRates: () => bank.yieldRates(),
    collateralBorrow: ({ wallet, body }) => bank.collateralBorrow({ wallet, ...body }),
    collateralRepay: ({ wallet, body }) => bank.collateralRepay({ wallet, ...body }),
    x402Pay: ({ wallet, body }) =>
      bank.pay({
        wallet,
        recipient: body.recipient,
        amount: body.amount,
        token: body.token,
        serviceUrl: body.service_url,
        memo: body.memo,
        paymentRequest: body.payment_request,
      }),
    x402Receive: ({ wallet, body }) =>
      bank.receivePayment({
        wallet,
        signature: body.tx_signature,
        expectedAmount: body.expected_amount,
        expectedToken: body.expected_token,
      }),
    x402Request: ({ wallet, query }) =>
      bank.requestPayment({
        wallet,
        amount: query.amount,
        token: query.token,
        description: query.description,
        expiresInSeconds: query.expires_in,
      }),
    loans: ({ wallet }) => ok(bank.credit.loans(wallet)),
    loanApply: ({ wallet, body }) => bank.credit.applyForLoan({ wallet, ...body }),
    loan: ({ wallet, params }) => bank.credit.loan(wallet, params['id'] as string),
    loanRepay: ({ wallet, params, body }) =>
      bank.credit.repayLoan({
        wallet,
        loanId: params['id'] as string,
        amount: body.amount,
        signature: body.txSignature,
      }),
    onboard: ({ origin }) => ok(onboard(origin)),
  };
}
