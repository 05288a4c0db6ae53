import { DAILY_LIMIT_USD_MICRO, prune, resetsAt } from './daily.js';
import { type EntryDraft, type OutflowKind, type OutflowTerms, credit, debit, draft } from './entry.js';
import { isoOf } from './calendar.js';
import { customer } from './inputs.js';
import { type Base, type Token, amountOf, usd, usdValueUp } from './money.js';
import type { Env } from './ports.js';
import { type Result, ok, refuse } from './result.js';
import { type State, holding } from './state.js';

export interface OutflowRequest {
  readonly type: OutflowKind;
  readonly wallet: string;
  readonly token: Token;
  readonly amount: Base;
}

/** Checks balance, then the daily limit, of a transfer out of the bank; gives its value in micro-USD. */
export function checkOutflow(state: State, request: OutflowRequest, env: Env): Result<bigint> {
  const { type, wallet, token, amount } = request;
  const agent = customer(state, wallet);
  const available = holding(agent, 'checking', token);
  if (available < amount) {
    return refuse('insufficient_balance', {
      token,
      available: amountOf(token, available),
      requested: amountOf(token, amount),
    });
  }
  if (env.oracleIsOut) return refuse('oracle_unavailable', { needed_for: `the price of ${token} in USD` });
  const usdMicro = usdValueUp(amount, token, env.priceE8(token));
  const window = prune(agent.daily[type], env.variants.dailyWindow, env.nowMs);
  if (window.totalMicro + usdMicro > DAILY_LIMIT_USD_MICRO) {
    return refuse('daily_limit_exceeded', {
      limit_usd: usd(DAILY_LIMIT_USD_MICRO),
      used_usd: usd(window.totalMicro),
      requested_usd: usd(usdMicro),
      resets_at: isoOf(resetsAt(window, env.variants.dailyWindow, env.nowMs)),
    });
  }
  return ok(usdMicro);
}

/** The entry that reserves an outflow: checking to pending. */
export function pendingOutflow(wallet: string, terms: OutflowTerms): EntryDraft {
  return draft(wallet, { kind: 'outflow.pending', terms }, [
    debit('checking', wallet, terms.token, terms.amountBase),
    credit('pending', wallet, terms.token, terms.amountBase),
  ]);
}
