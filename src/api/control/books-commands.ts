import { z } from 'zod';
import { JOURNAL_FORMATS } from '../../runtime/inspection/journal-export.js';
import { count, entryQuery, instant } from '../../runtime/inspection/queries.js';
import { get } from './command.js';
import { tokenUnits } from '../../core/domain/money.js';

/** Lamports and base units of USDC in token units. */
export const units = (balances: { lamports: bigint; usdcBase: bigint }) => ({
  SOL: tokenUnits('SOL', balances.lamports),
  USDC: tokenUnits('USDC', balances.usdcBase),
});

export const BOOKS = {
  journal: get('/journal', {
    summary: 'Show the total balance of each journal account over all owners',
    run: (world) => ({ entries: world.books.entries(), totals: world.books.totals() }),
  }),
  journalEntries: get('/journal/entries', {
    summary:
      'Get a page of journal entries with their postings, newest first; a page may be short although a next page exists',
    query: entryQuery,
    run: (world, { query }) => world.books.page(query),
  }),
  exportJournal: get('/journal/export', {
    summary: 'Export the journal: a row for each posting (csv, parquet), or a text that hledger reads',
    gives: 'bytes',
    query: z.strictObject({ format: z.enum(JOURNAL_FORMATS) }),
    run: (world, { query }) => world.books.export(query.format),
  }),
  trialBalance: get('/journal/balance', {
    summary: 'Show the trial balance now, at an instant, or after an entry',
    query: z.strictObject({
      at: instant.optional(),
      entry: count(0, Number.MAX_SAFE_INTEGER).optional().describe('number of an entry, instead of `at`'),
    }),
    run: (world, { query }) => {
      if (query.at !== undefined && query.entry !== undefined)
        throw new RangeError('set an instant or the number of an entry, not both');
      return world.books.trialBalance(query);
    },
  }),
  holdings: get('/holdings/{id}', {
    summary:
      'Show the on-chain balances of a wallet and its accounts at the bank (null if it is not a customer)',
    isGated: true,
    run: async (world, { id }) => ({
      wallet: id,
      chain: units(await world.chain.balances(id)),
      accounts: world.books.of(id),
    }),
  }),
  invariants: get('/invariants', {
    summary: 'Verify all invariants of books and chain; list the violated ones',
    isGated: true,
    run: async (world) => ({ violations: await world.invariants() }),
  }),
};
