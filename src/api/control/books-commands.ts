import { command } from './command.js';
import { tokenUnits } from '../../core/domain/money.js';

/** Lamports and base units of USDC in token units. */
export const units = (balances: { lamports: bigint; usdcBase: bigint }) => ({
  SOL: tokenUnits('SOL', balances.lamports),
  USDC: tokenUnits('USDC', balances.usdcBase),
});

/** The bank's books, and whether they are sound. */
export const BOOKS = {
  journal: command({
    method: 'GET',
    path: '/journal',
    summary: 'Show the total balance of each journal account, over all owners',
    run: (world) => ({ entries: world.books.entries(), totals: world.books.totals() }),
  }),
  holdings: command({
    method: 'GET',
    path: '/holdings/{id}',
    summary:
      'Show the on-chain balances of a wallet and its accounts at the bank (null if it is not a customer)',
    isGated: true,
    run: async (world, { id }) => ({
      wallet: id,
      chain: units(await world.chain.balances(id)),
      accounts: world.books.of(id),
    }),
  }),
  invariants: command({
    method: 'GET',
    path: '/invariants',
    summary: 'Verify all invariants of books and chain; lists those violated',
    isGated: true,
    run: async (world) => ({ violations: await world.invariants() }),
  }),
};
