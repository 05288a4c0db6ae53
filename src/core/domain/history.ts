import type { Entry } from './entry.js';
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

export function historyLine(entry: Entry): HistoryLine | null {
  const { facts } = entry;
  switch (facts.kind) {
    case 'deposit':
      return { type: 'deposit', token: facts.token, amountBase: facts.amountBase };
    case 'savings.deposit':
      return { type: 'savings_deposit', token: facts.token, amountBase: facts.amountBase };
    case 'savings.withdraw':
      return { type: 'savings_withdraw', token: facts.token, amountBase: facts.amountBase + facts.yieldBase };
    case 'outflow.pending':
      return {
        type: facts.terms.type === 'withdraw' ? 'withdraw' : 'x402_payment',
        token: facts.terms.token,
        amountBase: facts.terms.amountBase,
      };
    case 'x402.received':
      return { type: 'x402_receive', token: facts.token, amountBase: facts.amountBase };
    case 'collateral.borrow':
      return { type: 'borrow', token: 'USDC', amountBase: facts.amountBase };
    case 'collateral.repay':
      return { type: 'repay', token: 'USDC', amountBase: facts.principalBase + facts.interestBase };
    case 'collateral.liquidated':
      return {
        type: 'liquidation',
        token: 'USDC',
        amountBase: facts.principalBase + facts.interestBase + facts.penaltyBase,
      };
    case 'loan.charged':
      return { type: 'late_fee', token: 'USDC', amountBase: facts.amountBase };
    case 'loan.set_off':
      return { type: 'set_off', token: 'USDC', amountBase: facts.amountBase };
    case 'loan.approved': {
      const lent = entry.postings.find((posting) => posting.account === 'credit_line');
      return { type: 'borrow', token: 'USDC', amountBase: lent?.amountBase ?? 0n };
    }
    case 'loan.repaid':
      return { type: 'repay', token: 'USDC', amountBase: facts.amountBase };
    case 'bank.opened':
    case 'customer.opened':
    case 'identity.linked':
    case 'chain.arrived':
    case 'collection.opened':
    case 'savings.settled':
    case 'collection.swept':
    case 'outflow.posted':
    case 'outflow.voided':
    case 'fees.paid':
    case 'loan.applied':
    case 'loan.denied':
    case 'loan.called':
    case 'loan.overdue':
    case 'loan.defaulted':
    case 'loan.cured':
      return null;
  }
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
