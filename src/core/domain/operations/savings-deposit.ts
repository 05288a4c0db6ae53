import { allow } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { uuid } from '../ids.js';
import { customer, insufficientBalance, parseTokenAmount } from '../inputs.js';
import { amountOf } from '../money.js';
import type { Env } from '../ports.js';
import { yieldAt } from '../savings.js';
import { type State, holding } from '../state.js';
import { balanceChange } from '../views.js';

export interface SavingsInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
}

/** Moves funds from checking to savings; books the yield earned so far. */
export function savingsDeposit(state: State, input: SavingsInput, env: Env) {
  const parsed = parseTokenAmount(input);
  if (!parsed.ok) return parsed;
  const { token, amount } = parsed.value;
  const { wallet } = input;
  const agent = customer(state, wallet);
  const checking = holding(agent, 'checking', token);
  if (checking < amount) return insufficientBalance(token, checking, amount);
  const indexRay = env.yieldIndex(token);
  const position = agent.savings[token];
  const earned = yieldAt(position, indexRay) - position.bookedYieldBase;
  return allow(
    draft(wallet, { kind: 'savings.deposit', token, amountBase: amount, indexRay }, [
      debit('checking', wallet, token, amount),
      credit('savings', wallet, token, amount),
      debit('protocol', null, token, earned),
      credit('yield', wallet, token, earned),
    ]),
    (_after, entry) => ({
      success: true,
      savings_deposit: { id: uuid(env.salt, 'entry', entry.seq), amount: amountOf(token, amount), token },
      checking: balanceChange(token, checking, checking - amount),
      savings: balanceChange(token, position.principalBase, position.principalBase + amount),
    }),
  );
}
