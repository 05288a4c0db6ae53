import type { WrittenStep } from '../../scenario/file/write.js';
import { amountOf } from '../amounts.js';
import { LOAN_WORK, type LoanAction, loanTerms } from '../commands/operator.js';
import type { Step } from '../step.js';
import type { References } from './scenario-references.js';

const UNITS_MS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** `30d`, `59m59s`. */
export function durationText(ms: number): string {
  let left = ms;
  let text = '';
  for (const [unit, each] of UNITS_MS) {
    const count = Math.floor(left / each);
    if (count > 0) text += `${count}${unit}`;
    left -= count * each;
  }
  return text;
}

/** Writes an operator's step as a step of a scenario; null for other steps. Throws InexpressibleStep. */
export function operatorStep(
  { do: name, by = '', with: args }: Step,
  references: References,
): WrittenStep | null {
  switch (name) {
    case 'setPrice': {
      const { token, usd, ...when } = args;
      return { 'oracle.set': { [token === 'SOL' ? 'solUsd' : 'usdcUsd']: usd, ...when } };
    }
    case 'setApy': {
      const { token, apy, ...when } = args;
      return { 'oracle.set': { [token === 'SOL' ? 'sol' : 'usdc']: apy, ...when } };
    }
    case 'desk': {
      const action = args as unknown as LoanAction;
      const terms = loanTerms(action, durationText);
      return { [LOAN_WORK[action.what].verb]: { loan: references.text(action.loan), ...terms } };
    }
    case 'policy':
      return 'policy' in args ? { 'review.policy': args['policy'] } : { control: { do: 'reviewPolicy' } };
    case 'link':
      return { 'identity.link': { of: by, ...args } };
    case 'payLoan': {
      const { loan, units } = args as { loan: string; units: number };
      return { 'loan.pay': { loan: references.text(loan), amount: amountOf(BigInt(units), 'USDC') } };
    }
    case 'setBalance': {
      const { to, token, units } = args as { to: string; token: 'USDC' | 'SOL'; units: number };
      const held = { [token.toLowerCase()]: amountOf(BigInt(units), token) };
      return { 'balance.set': { to: references.text(to), ...held } };
    }
    default:
      return null;
  }
}
