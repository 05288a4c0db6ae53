import { type Decision, allow } from '../decision.js';
import { parseRecipient, parseToken } from '../inputs.js';
import { parseAmount } from '../money.js';
import { checkOutflow, pendingOutflow } from '../outflow.js';
import type { Env } from '../ports.js';
import type { Result } from '../result.js';
import type { State } from '../state.js';

export interface WithdrawInput {
  readonly wallet: string;
  readonly amount: unknown;
  readonly token: string;
  /** Defaults to the agent's own wallet. */
  readonly destination?: string | undefined;
}

/** Reserves a withdrawal and returns the number of the outflow, which is then executed on chain. */
export function withdraw(state: State, input: WithdrawInput, env: Env): Result<Decision<number>> {
  const token = parseToken(input.token);
  if (!token.ok) return token;
  const destination = parseRecipient(input.destination ?? input.wallet, env.treasury);
  if (!destination.ok) return destination;
  const amount = parseAmount(input.amount, token.value);
  if (!amount.ok) return amount;
  const request = {
    type: 'withdraw',
    wallet: input.wallet,
    token: token.value,
    amount: amount.value,
  } as const;
  const usdMicro = checkOutflow(state, request, env);
  if (!usdMicro.ok) return usdMicro;
  return allow(
    pendingOutflow(input.wallet, {
      type: 'withdraw',
      token: token.value,
      amountBase: amount.value,
      recipient: destination.value,
      payTo: destination.value,
      usdMicro: usdMicro.value,
      executeAtMs: env.variants.withdrawals === 'queued' ? env.nowMs + env.withdrawalDelayMs : null,
      serviceUrl: null,
      memo: null,
      requestId: null,
    }),
    (_after, entry) => entry.seq,
  );
}
