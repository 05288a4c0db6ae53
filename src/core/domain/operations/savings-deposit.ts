import type { Decision } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer, parseTokenAmount } from '../inputs.js';
import { type Amount, type Token, amountOf } from '../money.js';
import type { Env } from '../ports.js';
import { type Result, ok, refuse } from '../result.js';
import { yieldAt } from '../savings.js';
import { type State, holding } from '../state.js';
import { type BalanceChange, balanceChange } from '../views.js';

export interface SavingsInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
}

export interface SavingsDepositView {
  readonly success: true;
  readonly savings_deposit: { id: string; amount: Amount; token: Token };
  readonly checking: BalanceChange;
  readonly savings: BalanceChange;
}

/** Moves funds from checking to savings; books the yield earned so far. */
export function savingsDeposit(
  state: State,
  input: SavingsInput,
  env: Env,
): Result<Decision<SavingsDepositView>> {
  const parsed = parseTokenAmount(input);
  if (!parsed.ok) return parsed;
  const { token, amount } = parsed.value;
  const { wallet } = input;
  const agent = customer(state, wallet);
  const checking = holding(agent, 'checking', token);
  if (checking < amount) {
    return refuse('insufficient_balance', {
      token,
      available: amountOf(token, checking),
      requested: amountOf(token, amount),
    });
  }
  const indexRay = env.yieldIndex(token);
  const position = agent.savings[token];
  const earned = yieldAt(position, indexRay) - position.bookedYieldBase;
  return ok({
    draft: draft(wallet, { kind: 'savings.deposit', token, amountBase: amount, indexRay }, [
      debit('checking', wallet, token, amount),
      credit('savings', wallet, token, amount),
      debit('protocol', null, token, earned),
      credit('yield', wallet, token, earned),
    ]),
    view: (_after, entry) => ({
      success: true,
      savings_deposit: { id: uuid(env.salt, 'entry', entry.seq), amount: amountOf(token, amount), token },
      checking: balanceChange(token, checking, checking - amount),
      savings: balanceChange(token, position.principalBase, position.principalBase + amount),
    }),
  });
}
