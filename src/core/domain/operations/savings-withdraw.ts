import { maxWithdrawable } from '../collateral.js';
import { allow } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer, parseTokenAmount } from '../inputs.js';
import { amountOf } from '../money.js';
import type { Env } from '../ports.js';
import { refuse } from '../result.js';
import { yieldAt, yieldShare } from '../savings.js';
import { type State, holding } from '../state.js';
import { balanceChange } from '../views.js';
import type { SavingsInput } from './savings-deposit.js';

/** Moves principal and its share of the yield back to checking, unless a collateral loan needs it. */
export function savingsWithdraw(state: State, input: SavingsInput, env: Env) {
  const parsed = parseTokenAmount(input);
  if (!parsed.ok) return parsed;
  const { token, amount } = parsed.value;
  const { wallet } = input;
  const agent = customer(state, wallet);
  const position = agent.savings[token];
  if (position.principalBase < amount) {
    return refuse('insufficient_savings', {
      token,
      available: amountOf(token, position.principalBase),
      requested: amountOf(token, amount),
    });
  }
  if (token === 'USDC' && agent.collateralDebt !== null) {
    const most = maxWithdrawable(agent, env);
    if (amount > most) return refuse('collateral_locked', { max_withdrawable: amountOf(token, most) });
  }
  const indexRay = env.yieldIndex(token);
  const earned = yieldAt(position, indexRay) - position.bookedYieldBase;
  const share = yieldShare(position, amount, indexRay);
  const checking = holding(agent, 'checking', token);
  return allow(
    draft(wallet, { kind: 'savings.withdraw', token, amountBase: amount, yieldBase: share, indexRay }, [
      debit('savings', wallet, token, amount),
      debit('yield', wallet, token, share - earned),
      debit('protocol', null, token, earned),
      credit('checking', wallet, token, amount + share),
    ]),
    (_after, entry) => ({
      success: true,
      savings_withdrawal: {
        id: uuid(env.salt, 'entry', entry.seq),
        amount: amountOf(token, amount),
        token,
        yield_included: amountOf(token, share),
      },
      checking: balanceChange(token, checking, checking + amount + share),
      savings: balanceChange(token, position.principalBase, position.principalBase - amount),
    }),
  );
}
