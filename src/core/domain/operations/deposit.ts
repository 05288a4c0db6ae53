import { type Decision, allow } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import { verifyClaim } from '../evidence.js';
import { customer, parseTokenAmount } from '../inputs.js';
import { type Amount, amountOf, type Token } from '../money.js';
import type { Env, LookUp } from '../ports.js';
import type { Result } from '../result.js';
import { type State, holding } from '../state.js';
import { type BalanceChange, balanceChange } from '../views.js';

export interface DepositInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
  readonly signature: string;
  /** Looks up the transaction and its effect on the treasury. */
  readonly lookUp: LookUp;
}

export interface DepositView {
  readonly success: true;
  readonly deposit: { amount: Amount; token: Token; tx_signature: string; verified: true };
  readonly balance: BalanceChange;
  readonly verification: { slot: number; blockTime: number; sender: string; recipient: string };
}

/** Credits checking with the amount that a confirmed transaction of the agent's own wallet transferred to the treasury. */
export function deposit(state: State, input: DepositInput, env: Env): Result<Decision<DepositView>> {
  const parsed = parseTokenAmount(input);
  if (!parsed.ok) return parsed;
  const { token, amount } = parsed.value;
  const { signature, wallet } = input;
  const claim = verifyClaim(
    state,
    { signature, token, amountBase: amount, ownWalletOnly: true },
    input.lookUp,
  );
  if (!claim.ok) return claim;
  const { receipt } = claim.value;
  const previous = holding(customer(state, wallet), 'checking', token);
  return allow(
    draft(wallet, { kind: 'deposit', token, amountBase: amount, signature, sender: wallet }, [
      debit('unclaimed', null, token, amount),
      credit('checking', wallet, token, amount),
    ]),
    () => ({
      success: true,
      deposit: { amount: amountOf(token, amount), token, tx_signature: signature, verified: true },
      balance: balanceChange(token, previous, previous + amount),
      verification: {
        slot: receipt.slot,
        blockTime: receipt.blockTimeSeconds,
        sender: wallet,
        recipient: env.treasury,
      },
    }),
  );
}
