import type { Decision } from '../decision.js';
import { draft } from '../entry.js';

/** Records the accounts that a human operator linked to the wallet. */
export function linkIdentity(input: { wallet: string; x: boolean; github: boolean }): Decision<void> {
  return {
    draft: draft(input.wallet, { kind: 'identity.linked', x: input.x, github: input.github }, []),
    view: () => undefined,
  };
}
