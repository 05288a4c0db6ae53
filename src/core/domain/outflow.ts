import { prune, resetsAt } from './daily-window.js';
import { type EntryDraft, type OutflowKind, type OutflowTerms, credit, debit, draft } from './entry.js';
import { isoOf } from './calendar.js';
import { customer, insufficientBalance } from './inputs.js';
import { type Base, type Token, usd, usdValueUp } from './money.js';
import type { Env } from './ports.js';
import { type Result, ok, refuse } from './result.js';
import { type State, holding } from './state.js';

export interface OutflowRequest {
  readonly type: OutflowKind;
  readonly wallet: string;
  readonly token: Token;
  readonly amount: Base;
}

/** Checks balance, then daily limit, of a transfer out of the bank; returns its value in micro-USD. */
export function checkOutflow(state: State, request: OutflowRequest, env: Env): Result<bigint> {
  const { type, wallet, token, amount } = request;
  const agent = customer(state, wallet);
  const available = holding(agent, 'checking', token);
  if (available < amount) return insufficientBalance(token, available, amount);
  const priced = checkPriced(token, env);
  if (!priced.ok) return priced;
  const usdMicro = usdValueUp(amount, token, env.priceE8(token));
  const window = prune(agent.daily[type], env.variants.dailyWindow, env.nowMs);
  const limit = env.terms.dailyMicro[type];
  if (window.totalMicro + usdMicro > limit) {
    return refuse('daily_limit_exceeded', {
      limit_usd: usd(limit),
      used_usd: usd(window.totalMicro),
      requested_usd: usd(usdMicro),
      resets_at: isoOf(resetsAt(window, env.variants.dailyWindow, env.nowMs)),
    });
  }
  return ok(usdMicro);
}

/** Refuses `oracle_unavailable` when no price is usable: the oracle is down, or its prices are older than the bank accepts. */
function checkPriced(token: Token, env: Env): Result<void> {
  const needed_for = `the price of ${token} in USD`;
  if (env.oracleIsOut()) return refuse('oracle_unavailable', { needed_for });
  const stale = env.stalePrice();
  if (stale === null) return ok(undefined);
  const { asOfMs, maxAgeMs } = stale;
  const price_as_of = isoOf(asOfMs);
  return refuse(
    'oracle_unavailable',
    { needed_for, price_as_of, max_age_seconds: maxAgeMs / 1_000 },
    `The price of ${token} is of ${price_as_of} and too old to be used; nothing was changed.`,
  );
}

export function pendingOutflow(wallet: string, terms: OutflowTerms): EntryDraft {
  return draft(wallet, { kind: 'outflow.pending', terms }, [
    debit('checking', wallet, terms.token, terms.amountBase),
    credit('pending', wallet, terms.token, terms.amountBase),
  ]);
}
