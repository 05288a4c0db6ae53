import type { Bank } from '../../bank/bank.js';
import type { EndpointId, Endpoints } from '../../contract/endpoints.js';
import type { RequestContext } from '../../core/domain/request-context.js';
import { ownLoan } from '../../core/domain/operations/repay-loan.js';
import { type Result, ok } from '../../core/domain/result.js';
import type { z } from 'zod';

/** A request that has passed validation of its form. */
export interface Call<I extends EndpointId> {
  /** The authenticated customer; empty for endpoints without a token. */
  readonly wallet: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Endpoints[I] extends { query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  readonly body: Endpoints[I] extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
  /** The originating request and any injected faults. */
  readonly cause: RequestContext;
  /** The scheme, host and port that the client used. */
  readonly origin: string;
}

export type Handler<I extends EndpointId> = (call: Call<I>) => Result<unknown> | Promise<Result<unknown>>;

/** Checks of the path, which precede the checks of the body, by endpoint. */
export type PathCheck = (
  bank: Bank,
  wallet: string,
  params: Readonly<Record<string, string>>,
) => Result<unknown>;

const ownsLoan: PathCheck = (bank, wallet, params) => ownLoan(bank.books.state, wallet, params['id'] ?? '');
export const PATH_CHECKS: Partial<Record<EndpointId, PathCheck>> = { loan: ownsLoan, loanRepay: ownsLoan };

export function handlers(bank: Bank, onboard: (origin: string) => object): { [I in EndpointId]: Handler<I> } {
  return {
    challenge: ({ body }) => bank.challenge(body.wallet),
    verify: ({ body, cause }) => bank.verify(body, cause),
    profile: async ({ wallet, cause }) => ok(await bank.credit.profile(wallet, cause)),
    eligibility: ({ wallet, query, cause }) => bank.credit.eligibility(wallet, query.amount, cause),
    account: ({ wallet, cause }) => ok(bank.account(wallet, cause)),
    deposit: ({ wallet, body, cause }) =>
      bank.deposit({ wallet, amount: body.amount, token: body.token, signature: body.tx_signature }, cause),
    withdraw: ({ wallet, body, cause }) => bank.withdraw({ wallet, ...body }, cause),
    transactions: ({ wallet, query, cause }) => ok(bank.transactions({ wallet, ...query }, cause)),
    savingsDeposit: ({ wallet, body, cause }) => bank.savingsDeposit({ wallet, ...body }, cause),
    savingsWithdraw: ({ wallet, body, cause }) => bank.savingsWithdraw({ wallet, ...body }, cause),
    yieldRates: ({ cause }) => bank.yieldRates(cause),
    collateralBorrow: ({ wallet, body, cause }) => bank.collateralBorrow({ wallet, ...body }, cause),
    collateralRepay: ({ wallet, body, cause }) => bank.collateralRepay({ wallet, ...body }, cause),
    x402Pay: ({ wallet, body, cause }) =>
      bank.pay(
        {
          wallet,
          recipient: body.recipient,
          amount: body.amount,
          token: body.token,
          serviceUrl: body.service_url,
          memo: body.memo,
          paymentRequest: body.payment_request,
        },
        cause,
      ),
    x402Receive: ({ wallet, body, cause }) =>
      bank.receivePayment(
        {
          wallet,
          signature: body.tx_signature,
          expectedAmount: body.expected_amount,
          expectedToken: body.expected_token,
        },
        cause,
      ),
    x402Request: ({ wallet, query, cause }) =>
      bank.requestPayment(
        {
          wallet,
          amount: query.amount,
          token: query.token,
          description: query.description,
          expiresInSeconds: query.expires_in,
        },
        cause,
      ),
    loans: ({ wallet }) => ok(bank.credit.loans(wallet)),
    loanApply: ({ wallet, body, cause }) => bank.credit.applyForLoan({ wallet, ...body }, cause),
    loan: ({ wallet, params }) => bank.credit.loan(wallet, params['id'] as string),
    loanRepay: ({ wallet, params, body, cause }) =>
      bank.credit.repayLoan(
        {
          wallet,
          loanId: params['id'] as string,
          amount: body.amount,
          signature: body.txSignature,
        },
        cause,
      ),
    onboard: ({ origin }) => ok(onboard(origin)),
  };
}
