import type { Balances, Holdings, StepResult } from '../results.js';
import { amountText } from './text.js';
import type { Token } from '../../../core/domain/money.js';

export type Place = 'wallet' | 'checking' | 'savings' | 'principal';

/** A balance before and after a step, in token units. */
export interface BalanceRow {
  readonly agent: string;
  readonly place: Place;
  readonly token: Token;
  /** Null if not read. */
  readonly before: number | null;
  readonly after: number | null;
}

interface Holding {
  readonly place: Place;
  readonly token: Token;
  readonly of: (holdings: Holdings) => number | null;
}

/** All balances of an agent, in display order. */
const HOLDINGS: readonly Holding[] = [
  { place: 'wallet', token: 'USDC', of: ({ wallet }) => wallet.usdc },
  { place: 'wallet', token: 'SOL', of: ({ wallet }) => wallet.sol },
  { place: 'checking', token: 'USDC', of: ({ checking }) => checking?.usdc ?? null },
  { place: 'checking', token: 'SOL', of: ({ checking }) => checking?.sol ?? null },
  { place: 'savings', token: 'USDC', of: ({ savings }) => savings?.usdc ?? null },
  { place: 'savings', token: 'SOL', of: ({ savings }) => savings?.sol ?? null },
  { place: 'principal', token: 'USDC', of: ({ debtUsdc }) => debtUsdc },
];

/** A balance of an agent; null if it was not read. */
function amountIn(balances: Balances | null, agent: string, { of }: Holding): number | null {
  // Own members only, because an agent can be named `constructor`.
  const holdings = balances !== null && Object.hasOwn(balances, agent) ? balances[agent] : undefined;
  return holdings === undefined ? null : of(holdings);
}

/** Whether the displayed digits of a balance changed. */
function changed({ token, before, after }: BalanceRow): boolean {
  if (before === null || after === null) return before !== after;
  return amountText(token, before) !== amountText(token, after);
}

/** The balances to show for a step: changed balances, and nonzero balances of the acting agent (`alice` in `alice.deposit`). */
export function balanceRows({ title, before, after }: StepResult): BalanceRow[] {
  const acting = title.split('.')[0];
  const readTwice = before !== null && after !== null;
  return Object.keys({ ...before, ...after }).flatMap((agent) =>
    HOLDINGS.map((holding) => ({
      agent,
      place: holding.place,
      token: holding.token,
      before: amountIn(before, agent, holding),
      after: amountIn(after, agent, holding),
    })).filter(
      (row) =>
        (readTwice && changed(row)) ||
        (agent === acting && ((row.before ?? 0) !== 0 || (row.after ?? 0) !== 0)),
    ),
  );
}

/** Formats an amount; a dash if it was not read. */
export function rowAmount(row: BalanceRow, when: 'before' | 'after'): string {
  const amount = row[when];
  return amount === null ? '–' : amountText(row.token, amount);
}

/** Formats the change with its sign; empty if there is none. */
export function rowChange(row: BalanceRow): string {
  if (row.before === null || row.after === null || !changed(row)) return '';
  const change = amountText(row.token, row.after - row.before);
  return change.startsWith('-') ? change : `+${change}`;
}
