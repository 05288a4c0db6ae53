import { property } from 'agent-bank-sim';

/** Checking and collateral in the overview of an account. */
interface Overview {
  readonly checking: { readonly usdc: number; readonly sol: number };
  readonly collateral: { readonly limit: number; readonly borrowed: number; readonly available: number };
}

export default property(
  'The overview matches the books',
  {
    tags: ['property', 'account.overview'],
    agents: 2,
    operations: ['deposit', 'withdraw', 'savings.deposit', 'collateral.borrow', 'wait', 'account', 'account'],
    steps: 30,
    runs: 6,
    sometimes: ['collateral.borrow', 'savings.deposit'],
  },
  ({ title, answer, balances }) => {
    if (!title.endsWith('.account')) return;
    const { checking, collateral } = answer as unknown as Overview;
    const books = balances[title.split('.')[0] ?? '']?.checking;
    if (checking.usdc !== books?.usdc || checking.sol !== books.sol)
      throw new Error(`checking is ${JSON.stringify(checking)}, the books have ${JSON.stringify(books)}`);
    const { limit, borrowed, available } = collateral;
    if (available < 0 || available > Math.max(0, limit - borrowed) + 1e-9)
      throw new Error(`${available} available of ${limit} with ${borrowed} borrowed`);
  },
);
