import { isOpen } from '../credit/terms.js';
import { type Debt, owed, splitPayment } from '../debt.js';
import { allow } from '../decision.js';
import { type Posting, credit, debit, draft } from '../entry.js';
import { verifyClaim } from '../evidence.js';
import { repaymentId } from '../ids.js';
import { customer, insufficientBalance } from '../inputs.js';
import { amountOf, parseAmount } from '../money.js';
import type { Env, LookUp } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import { type Loan, type State, holding } from '../state.js';

export interface RepayLoanInput {
  readonly wallet: string;
  readonly loanId: string;
  readonly amount: unknown;
  /** An on-chain payment to the treasury; null pays from checking. */
  readonly onChain: { readonly signature: string; readonly lookUp: LookUp } | null;
}

/** The caller's own loan with that id; another agent's loan is also not found. */
export function ownLoan(state: State, wallet: string, loanId: string): Result<Loan> {
  const loan = state.loans.get(loanId);
  return loan?.wallet === wallet ? ok(loan) : refuse('loan_not_found', { loan_id: loanId });
}

/** The refusal, to the operator, of a loan that no agent has. */
export function noSuchLoan(loanId: string): Result<never> {
  return refuse('loan_not_found', { loan_id: loanId }, 'There is no such loan; sim review loans lists all.');
}

interface Payable {
  readonly loan: Loan;
  readonly debt: Debt;
  readonly amountBase: bigint;
}

/** Whether an amount can be paid on a loan. Refuses `invalid_amount`, `loan_not_active`. */
function payable(loan: Loan, given: unknown): Result<Payable> {
  const amount = parseAmount(given, 'USDC');
  if (!amount.ok) return amount;
  if (!isOpen(loan) || loan.debt === null) return refuse('loan_not_active', { status: loan.status });
  return ok({ loan, debt: loan.debt, amountBase: amount.value });
}

/** Repays a credit line, interest first. Charges at most the debt; an on-chain excess goes to checking. */
export function repayLoan(state: State, input: RepayLoanInput, env: Env) {
  const { wallet, loanId, onChain, amount } = input;
  const found = ownLoan(state, wallet, loanId);
  if (!found.ok) return found;
  const payment = payable(found.value, amount);
  if (!payment.ok) return payment;
  return pay(state, { ...payment.value, onChain, ownWalletOnly: true }, env);
}

/** Whether an amount can be paid on a loan now, by any payer. Refuses `loan_not_found`, `invalid_amount`, `loan_not_active`. */
export function checkPayable(state: State, loanId: string, amount: unknown): Result<Payable> {
  const loan = state.loans.get(loanId);
  return loan === undefined ? noSuchLoan(loanId) : payable(loan, amount);
}

/** Like `repayLoan`, for a payment to the treasury by any payer. */
export function payForLoan(
  state: State,
  input: Omit<RepayLoanInput, 'wallet'> & { readonly onChain: NonNullable<RepayLoanInput['onChain']> },
  env: Env,
) {
  const payment = checkPayable(state, input.loanId, input.amount);
  if (!payment.ok) return payment;
  return pay(state, { ...payment.value, onChain: input.onChain, ownWalletOnly: false }, env);
}

function pay(
  state: State,
  payment: Payable & Pick<RepayLoanInput, 'onChain'> & { readonly ownWalletOnly: boolean },
  env: Env,
) {
  const { loan, debt, amountBase, onChain, ownWalletOnly } = payment;
  const { wallet } = loan;
  const paid = splitPayment(debt, amountBase, env.nowMs);
  const charged = paid.interestBase + paid.principalBase;
  const source = paymentSource(state, { wallet, amountBase, charged, onChain, ownWalletOnly });
  if (!source.ok) return source;
  const remaining = owed(debt, env.nowMs) - charged;
  const signature = onChain?.signature ?? null;
  const facts = { kind: 'loan.repaid', loanId: loan.id, amountBase: charged, ...paid, signature } as const;
  return allow(
    draft(wallet, facts, [
      ...source.value,
      credit('credit_line', wallet, 'USDC', paid.principalBase),
      credit('interest_income', null, 'USDC', paid.interestBase),
    ]),
    (_after, entry) => ({
      payment: {
        id: repaymentId(env.salt, entry.seq),
        amount: amountOf('USDC', charged),
        remainingBalance: amountOf('USDC', remaining),
        status: 'completed',
      },
    }),
  );
}

function paymentSource(
  state: State,
  input: Pick<RepayLoanInput, 'wallet' | 'onChain'> & {
    amountBase: bigint;
    charged: bigint;
    ownWalletOnly: boolean;
  },
): Result<Posting[]> {
  const { wallet, onChain, amountBase, charged, ownWalletOnly } = input;
  if (onChain === null) {
    const available = holding(customer(state, wallet), 'checking', 'USDC');
    if (available < charged) return insufficientBalance('USDC', available, charged);
    return ok([debit('checking', wallet, 'USDC', charged)]);
  }
  const claim = verifyClaim(
    state,
    { signature: onChain.signature, token: 'USDC', amountBase, ownWalletOnly },
    onChain.lookUp,
  );
  if (!claim.ok) return claim;
  return ok([
    debit('unclaimed', null, 'USDC', amountBase),
    credit('checking', wallet, 'USDC', amountBase - charged),
  ]);
}
