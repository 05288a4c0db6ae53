import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import type { TOKENS } from '../../../src/core/domain/money.js';
import { fillBooks } from '../../support/busy-books.js';
import { HAS_HLEDGER, expectedBalances, hledgerBalances } from '../../support/hledger.js';
import { ENGINES, world } from '../../support/world.js';

if (!HAS_HLEDGER) console.info('hledger is not installed: its reading of an exported journal is not tested');

describe.each(ENGINES)('an exported journal on %s', { tags: ['slow'] }, (engine) => {
  it.runIf(HAS_HLEDGER)('gives hledger the balances of the books, to the last base unit', async () => {
    const sim = await world({ engine });
    await fillBooks(sim, 60);
    expect(hledgerBalances(await sim.books.export('hledger'))).toEqual(expectedBalances(sim));
  });

  it('is refused in an unknown format', async () => {
    const sim = await world({ engine });
    await expect(sim.books.export('journal' as never)).rejects.toThrow(
      new RangeError('format: journal is none of csv, parquet, hledger'),
    );
  });

  it('has a row for each posting, whose sums are the balances, as CSV and as Parquet', async () => {
    const sim = await world({ engine });
    await fillBooks(sim, 60);
    const { totals } = sim.bank.books.state;
    const text = Buffer.from(await sim.books.export('csv')).toString();
    const [head, ...lines] = text.trimEnd().split('\n');
    expect(head).toBe('entry,at,kind,wallet,status,account,owner,token,amount');
    const bytes = await sim.books.export('parquet');
    const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer });
    expect(rows).toHaveLength(lines.length);
    const sums: Record<string, bigint> = {};
    for (const [at, line] of lines.entries()) {
      const [entry, instant, kind, wallet, status, account = '', owner, token = '', amount = ''] =
        line.split(',');
      const base = BigInt(amount.replace('.', ''));
      sums[`${account} ${token}`] = (sums[`${account} ${token}`] ?? 0n) + base;
      const row = rows[at] as Record<string, unknown>;
      expect(row).toEqual({
        entry: Number(entry),
        at: new Date(instant ?? ''),
        kind,
        wallet: wallet === '' ? null : wallet,
        status,
        account,
        owner: owner === '' ? null : owner,
        token,
        amount_base: Number(base),
      });
    }
    for (const [name, sum] of Object.entries(sums)) {
      const [account, token] = name.split(' ') as [keyof typeof totals, (typeof TOKENS)[number]];
      expect(sum, name).toBe(totals[account][token]);
    }
    expect(text).toContain(',failed,');
  });
});

it('an exported journal has amounts of up to 38 digits as Parquet, and refuses larger ones', async () => {
  const sim = await world({ oracle: { usdcApy: 1e9 } });
  const agent = sim.agent(0);
  await agent.fund(1_000, 'USDC');
  await agent.depositSavings({ amount: 1_000, token: 'USDC' });
  await sim.advance('3y');
  await agent.withdrawSavings({ amount: 1, token: 'USDC' });
  const bytes = await sim.books.export('parquet');
  const rows = await parquetReadObjects({ file: bytes.buffer as ArrayBuffer });
  expect(Math.max(...rows.map(({ amount_base }) => amount_base as number))).toBeGreaterThan(1e33);
  await sim.advance('1y');
  await agent.withdrawSavings({ amount: 1, token: 'USDC' });
  await expect(sim.books.export('parquet')).rejects.toThrow(
    /^entry \d+ has more than the 38 digits of Parquet: export as csv$/,
  );
});
