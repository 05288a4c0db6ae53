import { expect, it } from 'vitest';
import { CSV_HEAD, csvLines } from '../../../src/inspector/text/journal-csv.js';
import { agentWith, world } from '../../support/world.js';

it('the exported journal balances, and has every posting', async () => {
  const sim = await world();
  const agent = await agentWith(sim, 0, { usdc: 100, sol: 1 });
  await agent.depositSavings({ amount: 40.000001, token: 'USDC' });
  const { entries } = sim.books.page({ order: 'oldest', limit: 1_000 });
  const lines = csvLines(entries).map((line) => line.split(','));
  expect(lines.every(({ length }) => length === CSV_HEAD.split(',').length)).toBe(true);
  const sums = new Map<string, bigint>();
  for (const [, , , , , , , token = '', debit = '', credit = ''] of lines) {
    const base = (text: string) => BigInt(text.replace('.', '') || '0');
    sums.set(token, (sums.get(token) ?? 0n) + base(debit) - base(credit));
  }
  expect([...sums.values()].every((sum) => sum === 0n)).toBe(true);
  expect(lines.filter(([, , kind]) => kind === 'savings.deposit').map((line) => line.slice(5))).toEqual([
    ['checking', agent.wallet.address, 'USDC', '40.000001', ''],
    ['savings', agent.wallet.address, 'USDC', '', '40.000001'],
  ]);
});
