import { collateralStanding } from '../collateral.js';
import { allow } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer } from '../inputs.js';
import { amountOf, parseAmount } from '../money.js';
import type { Env } from '../ports.js';
import { refuse } from '../result.js';
import { type State, holding } from '../state.js';
import { balanceChange, decimalRate } from '../views.js';
import { collateralView } from '../queries/collateral.js';

export interface CollateralInput {
  readonly wallet: string;
  readonly amount: unknown;
}

/** Lends USDC immediately against USDC savings, up to 70 % of their principal. */
export function collateralBorrow(state: State, input: CollateralInput, env: Env) {
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
  return allow(
    draft(wallet, facts, [
      debit('collateral_loan', wallet, 'USDC', amount.value),
      credit('checking', wallet, 'USDC', amount.value),
    ]),
    (after, entry) => ({
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
  );
}
