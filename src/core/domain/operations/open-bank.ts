import type { Decision } from '../decision.js';
import { credit, debit, draft } from '../entry.js';
import type { PerToken } from '../money.js';

/** The first entry of every journal: the treasury's holdings on chain become the bank's capital. Base units. */
export function openBank(treasury: PerToken<bigint>): Decision<void> {
  return {
    draft: draft(null, { kind: 'bank.opened' }, [
      debit('treasury', null, 'USDC', treasury.USDC),
      credit('capital', null, 'USDC', treasury.USDC),
      debit('treasury', null, 'SOL', treasury.SOL),
      credit('capital', null, 'SOL', treasury.SOL),
    ]),
    view: () => undefined,
  };
}
