import type { Agent, Spending, Use, Books } from './books.js';
import { DAY_MS, iso, usdNumber } from './amounts.js';
import { type Refused, refused } from './verdict.js';

const LIMITS = { withdraw: 'dailyWithdrawalUsd', x402_payment: 'dailyPaymentUsd' } as const;

/** The uses that count now: of the UTC day, or of the last 24 hours. */
function counted({ nowMs, modelConfig }: Books, { uses }: Agent, type: Spending): readonly Use[] {
  const isUtcDay = modelConfig.variants.dailyWindow === 'utc-day';
  const fromMs = isUtcDay ? nowMs - (nowMs % DAY_MS) : nowMs - DAY_MS + 1;
  return uses[type].filter(({ atMs }) => atMs >= fromMs);
}

/** A daily limit of an agent and what is used of it, in millionths of a USD. */
export function dailyLimit(books: Books, agent: Agent, type: Spending) {
  let usedMicroUsd = 0n;
  for (const { microUsd } of counted(books, agent, type)) usedMicroUsd += microUsd;
  return { limitMicroUsd: books.limitsE6[LIMITS[type]], usedMicroUsd };
}

/** Why this additional amount cannot be used now; null if it can. Source: docs/reference/fidelity.md, Withdrawals and x402 payments. */
export function limitRefusal(
  books: Books,
  agent: Agent,
  { type, microUsd }: { type: Spending; microUsd: bigint },
): Refused | null {
  const { limitMicroUsd, usedMicroUsd } = dailyLimit(books, agent, type);
  if (usedMicroUsd + microUsd <= limitMicroUsd) return null;
  const { nowMs, modelConfig } = books;
  // The expiry of a use worth 0 releases nothing.
  const first = counted(books, agent, type).find((use) => use.microUsd > 0n);
  const isUtcDay = modelConfig.variants.dailyWindow === 'utc-day';
  const beginMs = isUtcDay ? nowMs - (nowMs % DAY_MS) : (first?.atMs ?? nowMs);
  return refused('daily_limit_exceeded', {
    limit_usd: usdNumber(limitMicroUsd),
    used_usd: usdNumber(usedMicroUsd),
    requested_usd: usdNumber(microUsd),
    resets_at: iso(beginMs + DAY_MS),
  });
}
