import type { Entry, Facts } from './entry.js';
import type { BankLimits } from './bank-limits.js';
import type { Token } from './money.js';
import type { Variants } from './variants.js';

/** The published types of history records. Source: service description, Account transaction. */
const PUBLISHED_TYPES = [
  'deposit',
  'withdraw',
  'savings_deposit',
  'savings_withdraw',
  'x402_payment',
  'x402_receive',
  'borrow',
  'repay',
] as const;

/** Types that occur only with a limit that causes them. */
const CONSEQUENCE_TYPES = ['liquidation', 'late_fee', 'set_off'] as const;

export const HISTORY_TYPES = [...PUBLISHED_TYPES, ...CONSEQUENCE_TYPES] as const;
export type HistoryType = (typeof HISTORY_TYPES)[number];

/** An entry as a line of its agent's history; null when it does not appear there. */
export interface HistoryLine {
  readonly type: HistoryType;
  readonly token: Token;
  readonly amountBase: bigint;
}

type LineOf<K extends Facts['kind']> = (facts: Extract<Facts, { kind: K }>, entry: Entry) => HistoryLine;

/** The history line of each kind of entry; null for those that do not appear in a history. */
const LINES: { readonly [K in Facts['kind']]: LineOf<K> | null } = {
  'bank.opened': null,
  'customer.opened': null,
  'identity.linked': null,
  'chain.arrived': null,
  'collection.opened': null,
  deposit: ({ token, amountBase }) => ({ type: 'deposit', token, amountBase }),
  'savings.deposit': ({ token, amountBase }) => ({ type: 'savings_deposit', token, amountBase }),
  'savings.withdraw': ({ token, amountBase, yieldBase }) => ({
    type: 'savings_withdraw',
    token,
    amountBase: amountBase + yieldBase,
  }),
  'savings.settled': null,
  'collection.swept': null,
  'collateral.borrow': ({ amountBase }) => inUsdc('borrow', amountBase),
  'collateral.repay': ({ principalBase, interestBase }) => inUsdc('repay', principalBase + interestBase),
  'collateral.liquidated': ({ principalBase, interestBase, penaltyBase }) =>
    inUsdc('liquidation', principalBase + interestBase + penaltyBase),
  'outflow.pending': ({ terms: { type, token, amountBase } }) => ({
    type: type === 'withdraw' ? 'withdraw' : 'x402_payment',
    token,
    amountBase,
  }),
  'outflow.posted': null,
  'outflow.voided': null,
  'fees.paid': null,
  'x402.received': ({ token, amountBase }) => ({ type: 'x402_receive', token, amountBase }),
  'loan.applied': null,
  'loan.approved': (_facts, { postings }) =>
    inUsdc('borrow', postings.find(({ account }) => account === 'credit_line')?.amountBase ?? 0n),
  'loan.denied': null,
  'loan.called': null,
  'loan.overdue': null,
  'loan.charged': ({ amountBase }) => inUsdc('late_fee', amountBase),
  'loan.defaulted': null,
  'loan.set_off': ({ amountBase }) => inUsdc('set_off', amountBase),
  'loan.cured': null,
  'loan.repaid': ({ amountBase }) => inUsdc('repay', amountBase),
};

/** All kinds of entries. */
export const ENTRY_KINDS = Object.keys(LINES) as readonly Facts['kind'][];

function inUsdc(type: HistoryType, amountBase: bigint): HistoryLine {
  return { type, token: 'USDC', amountBase };
}

export function historyLine(entry: Entry): HistoryLine | null {
  const line = LINES[entry.facts.kind] as LineOf<Facts['kind']> | null;
  return line === null ? null : line(entry.facts, entry);
}

const CREDIT_TYPES: ReadonlySet<HistoryType> = new Set(['borrow', 'repay', ...CONSEQUENCE_TYPES]);

/** Types that the `no-credit` variant omits. */
export function isCreditType(type: HistoryType): boolean {
  return CREDIT_TYPES.has(type);
}

/** The types of history records that can occur in a world. */
export function historyTypes(variant: Variants['historyTypes'], limits: BankLimits): HistoryType[] {
  const canOccur: Readonly<Record<(typeof CONSEQUENCE_TYPES)[number], boolean>> = {
    liquidation: limits.liquidationLtv > 0,
    late_fee: limits.lateFeeUsd > 0 || limits.lateFeeRate > 0,
    set_off: limits.setOffShare > 0,
  };
  const types = [...PUBLISHED_TYPES, ...CONSEQUENCE_TYPES.filter((type) => canOccur[type])];
  return types.filter((type) => variant === 'all' || !isCreditType(type));
}
