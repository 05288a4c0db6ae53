import type { TokenAmounts } from '../../runtime/journal-api.js';
import type { OwnedAccount } from '../../core/domain/entry.js';
import type { Holdings } from '../scenario/results.js';

const small = ({ USDC, SOL }: { USDC: number; SOL: number }) => ({ usdc: USDC, sol: SOL });

/** An agent's holdings, combined from chain and books. */
export function holdingsOf(
  chain: { USDC: number; SOL: number },
  accounts: TokenAmounts<OwnedAccount> | null,
): Holdings {
  return {
    wallet: small(chain),
    checking: accounts === null ? null : small(accounts.checking),
    savings: accounts === null ? null : small(accounts.savings),
    debtUsdc: accounts === null ? null : accounts.collateral_loan.USDC + accounts.credit_line.USDC,
  };
}
