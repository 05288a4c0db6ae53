import { collateralStanding } from '../collateral.js';
import type { Decision } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer } from '../inputs.js';
import { type Amount, amountOf, parseAmount } from '../money.js';
import type { Env } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import { type State, holding } from '../state.js';
import { type BalanceChange, balanceChange, decimalRate } from '../views.js';
import { type CollateralView, collateralView } from '../queries/collateral.js';

export interface CollateralInput {
  readonly wallet: string;
  readonly amount: unknown;
}

export interface CollateralBorrowView {
  readonly success: true;
  readonly loan: { id: string; amount: Amount; token: 'USDC'; apr: Amount };
  readonly collateral: CollateralView;
  readonly balance: BalanceChange;
}

/** Lends USDC immediately against USDC savings, up to 70 % of their principal. */
export function collateralBorrow(
  state: State,
  input: CollateralInput,
  env: Env,
): Result<Decision<CollateralBorrowView>> {
  const amount = parseAmount(input.amount, 'USDC');
  if (!amount.ok) return amount;
  const { wallet } = input;
  const agent = customer(state, wallet);
  const { available } = collateralStanding(agent, env);
  if (amount.value > available) {
    return refuse('collateral_limit_exceeded', {
      available_to_borrow: amountOf('USDC', available),
      requested: amountOf('USDC', amount.value),
    });
  }
  const checking = holding(agent, 'checking', 'USDC');
  const aprPpm = env.terms.collateralAprPpm;
  const facts = { kind: 'collateral.borrow', amountBase: amount.value, aprPpm } as const;
  return ok({
    draft: draft(wallet, facts, [
      debit('collateral_loan', wallet, 'USDC', amount.value),
      credit('checking', wallet, 'USDC', amount.value),
    ]),
    view: (after, entry) => ({
      success: true,
      loan: {
        id: uuid(env.salt, 'entry', entry.seq),
        amount: amountOf('USDC', amount.value),
        token: 'USDC',
        apr: decimalRate(aprPpm),
      },
      collateral: collateralView(customer(after, wallet), env),
      balance: balanceChange('USDC', checking, checking + amount.value),
    }),
  });
}
