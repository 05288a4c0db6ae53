import { allow } from '../decision.js';
import { owed, splitPayment } from '../debt.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer, insufficientBalance } from '../inputs.js';
import { amountOf, parseAmount } from '../money.js';
import type { Env } from '../ports.js';
import { collateralView } from '../queries/collateral.js';
import { refuse } from '../result.js';
import { type State, holding } from '../state.js';
import { balanceChange } from '../views.js';
import type { CollateralInput } from './collateral-borrow.js';

/** Repays a collateral loan from checking, interest before principal; charges at most the debt. */
export function collateralRepay(state: State, input: CollateralInput, env: Env) {
  const amount = parseAmount(input.amount, 'USDC');
  if (!amount.ok) return amount;
  const { wallet } = input;
  const agent = customer(state, wallet);
  const debt = agent.collateralDebt;
  if (debt === null) return refuse('no_outstanding_loan');
  const split = splitPayment(debt, amount.value, env.nowMs);
  const charged = split.interest + split.principal;
  const checking = holding(agent, 'checking', 'USDC');
  if (checking < charged) return insufficientBalance('USDC', checking, charged);
  const remaining = owed(debt, env.nowMs) - charged;
  const facts = {
    kind: 'collateral.repay',
    principalBase: split.principal,
    interestBase: split.interest,
  } as const;
  return allow(
    draft(wallet, facts, [
      debit('checking', wallet, 'USDC', charged),
      credit('collateral_loan', wallet, 'USDC', split.principal),
      credit('interest_income', null, 'USDC', split.interest),
    ]),
    (after, entry) => ({
      success: true,
      repayment: {
        id: uuid(env.salt, 'entry', entry.seq),
        amount: amountOf('USDC', charged),
        requested: amountOf('USDC', amount.value),
        principal: amountOf('USDC', split.principal),
        interest: amountOf('USDC', split.interest),
        remaining: amountOf('USDC', remaining),
      },
      collateral: collateralView(customer(after, wallet), env),
      balance: balanceChange('USDC', checking, checking - charged),
    }),
  );
}
