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
  const paid = splitPayment(debt, amount.value, env.nowMs);
  const charged = paid.interestBase + paid.principalBase;
  const checking = holding(agent, 'checking', 'USDC');
  if (checking < charged) return insufficientBalance('USDC', checking, charged);
  const remaining = owed(debt, env.nowMs) - charged;
  return allow(
    draft(wallet, { kind: 'collateral.repay', ...paid }, [
      debit('checking', wallet, 'USDC', charged),
      credit('collateral_loan', wallet, 'USDC', paid.principalBase),
      credit('interest_income', null, 'USDC', paid.interestBase),
    ]),
    (after, entry) => ({
      success: true,
      repayment: {
        id: uuid(env.salt, 'entry', entry.seq),
        amount: amountOf('USDC', charged),
        requested: amountOf('USDC', amount.value),
        principal: amountOf('USDC', paid.principalBase),
        interest: amountOf('USDC', paid.interestBase),
        remaining: amountOf('USDC', remaining),
      },
      collateral: collateralView(customer(after, wallet), env),
      balance: balanceChange('USDC', checking, checking - charged),
    }),
  );
}
