import { type EntryDraft, credit, debit, draft, networkCost } from '../entry.js';
import { type PerToken, TOKENS } from '../money.js';
import type { State } from '../state.js';

/** The amount to move from the treasury to the lending protocol so that it holds all savings; negative for back. */
export function settlementDue(state: State): PerToken<bigint> {
  const due = { USDC: 0n, SOL: 0n };
  for (const token of TOKENS) {
    due[token] = -state.totals.savings[token] - state.totals.yield[token] - state.totals.protocol[token];
  }
  return due;
}

/**
 * Whether anything must be settled, even without a schedule. A short treasury settles early; a late outcome of that
 * clears the schedule of savings that have changed since.
 */
export function isSettlementDue(state: State): boolean {
  const due = settlementDue(state);
  return state.settlementScheduled || TOKENS.some((token) => due[token] !== 0n);
}

/** The entry after that move; `moved` is zero without a move. Base units; lamports. */
export function settleSavings(
  signature: string | null,
  moved: PerToken<bigint>,
  costLamports: bigint,
): EntryDraft {
  return draft(null, { kind: 'savings.settled', signature }, [
    ...TOKENS.flatMap((token) => [
      debit('protocol', null, token, moved[token]),
      credit('treasury', null, token, moved[token]),
    ]),
    ...networkCost(costLamports),
  ]);
}
