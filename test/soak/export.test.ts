import { expect, it } from 'vitest';
import { fillBooks } from '../support/busy-books.js';
import { expectedBalances, hledgerBalances } from '../support/hledger.js';
import { world } from '../support/world.js';

it('hledger agrees with an export of 100,000 entries', { timeout: 600_000 }, async () => {
  const sim = await world();
  await fillBooks(sim, 100_000);
  const beganMs = performance.now();
  const journal = await sim.books.export('hledger');
  const madeMs = performance.now() - beganMs;
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  process.stdout.write(`100,000 entries: ${mb(journal.length)} MB for hledger in ${madeMs.toFixed(0)} ms\n`);
  expect(hledgerBalances(journal)).toEqual(expectedBalances(sim));
});
